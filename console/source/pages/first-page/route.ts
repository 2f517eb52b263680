import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { rootRoute } from '../../shell/root-route.tsx';

export const firstPageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyPage(() => import('./view.tsx'), 'FirstPage'),
});
