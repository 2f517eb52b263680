import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';

export const overviewRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'overview',
  component: lazyPage(() => import('./view.tsx'), 'OverviewView'),
});
