import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { rootRoute } from '../../shell/root-route.tsx';

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  // `/console/sessions` is the route that lists them.
  path: 'open-sessions',
  component: lazyPage(() => import('./view.tsx'), 'SessionsView'),
});
