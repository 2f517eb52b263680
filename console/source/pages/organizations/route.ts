import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { paged, text, type Search } from '../../shell/search.ts';
import type { OrganizationsSearch } from './queries.ts';

export const organizationsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'organizations',
  validateSearch: (search: Search): OrganizationsSearch => ({ find: text(search['find']), ...paged(search) }),
  component: lazyPage(() => import('./view.tsx'), 'OrganizationsView'),
});
