import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { paged, text, type Paged, type Search } from '../../shell/search.ts';

export interface OrganizationsSearch extends Paged {
  /** An organization's id. */
  readonly find?: string | undefined;
}

export const organizationsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'organizations',
  validateSearch: (search: Search): OrganizationsSearch => ({ find: text(search['find']), ...paged(search) }),
  component: lazyRouteComponent(() => import('./view.tsx'), 'OrganizationsView'),
});
