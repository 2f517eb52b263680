import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { oneOf, paged, text, type Search } from '../../shell/search.ts';
import { channels, deliveryStatuses, notificationsTabs, type NotificationsSearch } from './filters.ts';

export const notificationsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'notifications',
  validateSearch: (search: Search): NotificationsSearch => ({
    tab: oneOf(search['tab'], notificationsTabs),
    organizationId: text(search['organizationId']),
    userId: text(search['userId']),
    notificationId: text(search['notificationId']),
    channel: oneOf(search['channel'], channels),
    status: oneOf(search['status'], deliveryStatuses),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'NotificationsView'),
});
