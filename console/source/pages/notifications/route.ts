import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { oneOf, paged, text, type Search } from '../../shell/search.ts';
import { channels, deliveryStatuses, type NotificationsSearch } from './filters.ts';

export const notificationsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'notifications',
  validateSearch: (search: Search): NotificationsSearch => ({
    organizationId: text(search['organizationId']),
    userId: text(search['userId']),
    notificationId: text(search['notificationId']),
    channel: oneOf(search['channel'], channels),
    status: oneOf(search['status'], deliveryStatuses),
    ...paged(search),
  }),
  component: lazyRouteComponent(() => import('./view.tsx'), 'NotificationsView'),
});
