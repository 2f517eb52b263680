import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { text, type Search } from '../../shell/search.ts';

export const jobRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'job',
  validateSearch: (search: Search): { readonly jobId: string } => ({ jobId: text(search['jobId']) ?? '' }),
  component: lazyPage(() => import('./view.tsx'), 'JobView'),
});
