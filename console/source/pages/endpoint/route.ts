import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { oneOf, paged, text, type Search } from '../../shell/search.ts';
import { messageStatuses, type EndpointSearch } from './endpoint-search.ts';

export const endpointRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'endpoint',
  validateSearch: (search: Search): EndpointSearch => ({
    endpointId: text(search['endpointId']) ?? '',
    status: oneOf(search['status'], messageStatuses),
    eventType: text(search['eventType']),
    ...paged(search),
  }),
  component: lazyRouteComponent(() => import('./view.tsx'), 'EndpointView'),
});
