import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  // `/console/sessions` is the route that lists them.
  path: 'open-sessions',
  component: lazyRouteComponent(() => import('./view.tsx'), 'SessionsView'),
});
