import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { text, type Search } from '../../shell/search.ts';

export const jobRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'job',
  validateSearch: (search: Search): { readonly jobId: string } => ({ jobId: text(search['jobId']) ?? '' }),
  component: lazyRouteComponent(() => import('./view.tsx'), 'JobView'),
});
