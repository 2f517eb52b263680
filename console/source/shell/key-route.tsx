import { createRoute, Outlet } from '@tanstack/react-router';
import { rootRoute } from './root-route.tsx';

/** Pages of one API key, which the URL names by its public id. */
export const keyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'keys/$keyId',
  component: Outlet,
});
