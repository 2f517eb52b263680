import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { oneOf, paged, type Paged, type Search } from '../../shell/search.ts';

export interface WebhooksSearch extends Paged {
  readonly tab?: 'endpoints' | 'event-types' | undefined;
}

export const webhooksRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'webhooks',
  validateSearch: (search: Search): WebhooksSearch => ({
    tab: oneOf(search['tab'], ['endpoints', 'event-types']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'WebhooksView'),
});
