import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { rootRoute } from '../../shell/root-route.tsx';
import { oneOf, paged, type Search } from '../../shell/search.ts';
import { jobKinds, jobStatuses, type JobsSearch } from './filters.ts';

const validateSearch = (search: Search): JobsSearch => ({
  kind: oneOf(search['kind'], jobKinds),
  status: oneOf(search['status'], jobStatuses),
  ...paged(search),
});

export const jobsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'jobs',
  validateSearch,
  component: lazyPage(() => import('./view.tsx'), 'JobsView'),
});

/** Jobs of all keys of a workspace, or of the deployment. */
export const allJobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'jobs',
  validateSearch,
  component: lazyPage(() => import('./all-jobs-view.tsx'), 'AllJobsView'),
});
