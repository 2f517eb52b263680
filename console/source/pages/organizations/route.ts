import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { paged, text, type Paged, type Search } from '../../shell/search.ts';

export interface OrganizationsSearch extends Paged {
  /** The beginning of an id or a name. */
  readonly find?: string | undefined;
}

export const organizationsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'organizations',
  validateSearch: (search: Search): OrganizationsSearch => ({ find: text(search['find']), ...paged(search) }),
  component: lazyPage(() => import('./view.tsx'), 'OrganizationsView'),
});
