import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { oneOf, paged, text, time, type Search } from '../../shell/search.ts';
import { messageStatuses, type EndpointSearch } from './endpoint-search.ts';

export const endpointRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'endpoint',
  validateSearch: (search: Search): EndpointSearch => ({
    endpointId: text(search['endpointId']) ?? '',
    status: oneOf(search['status'], messageStatuses),
    eventType: text(search['eventType']),
    channel: text(search['channel']),
    since: time(search['since']),
    until: time(search['until']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'EndpointView'),
});
