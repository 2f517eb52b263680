import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { paged, text, type Paged, type Search } from '../../shell/search.ts';

export interface UsersSearch extends Paged {
  /** The beginning of an id, an e-mail address or a name, in every organization. */
  readonly prefix?: string | undefined;
  readonly organizationId?: string | undefined;
  /** Part of a name or an e-mail address. */
  readonly find?: string | undefined;
}

export const usersRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'users',
  validateSearch: (search: Search): UsersSearch => ({
    prefix: text(search['prefix']),
    organizationId: text(search['organizationId']),
    find: text(search['find']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'UsersView'),
});
