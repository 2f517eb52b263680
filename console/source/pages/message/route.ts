import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { paged, text, type Paged, type Search } from '../../shell/search.ts';

export interface MessageSearch extends Paged {
  readonly endpointId: string;
  readonly messageId: string;
}

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
