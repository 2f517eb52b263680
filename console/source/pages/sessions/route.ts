import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./view.tsx'), 'SessionsView'),
});
