import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';

export const overviewRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'overview',
  component: lazyRouteComponent(() => import('./view.tsx'), 'OverviewView'),
});
