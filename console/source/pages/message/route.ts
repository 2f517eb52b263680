import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { paged, text, type Search } from '../../shell/search.ts';
import type { MessageSearch } from './queries.ts';

export const messageRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'message',
  validateSearch: (search: Search): MessageSearch => ({
    endpointId: text(search['endpointId']) ?? '',
    messageId: text(search['messageId']) ?? '',
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'MessageView'),
});
