import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { paged, text, type Paged, type Search } from '../../shell/search.ts';

export interface UsersSearch extends Paged {
  readonly organizationId?: string | undefined;
  /** Part of a name or an e-mail address. */
  readonly find?: string | undefined;
}

export const usersRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'users',
  validateSearch: (search: Search): UsersSearch => ({
    organizationId: text(search['organizationId']),
    find: text(search['find']),
    ...paged(search),
  }),
  component: lazyRouteComponent(() => import('./view.tsx'), 'UsersView'),
});
