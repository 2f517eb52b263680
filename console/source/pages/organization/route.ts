import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { paged, text, type Search } from '../../shell/search.ts';
import type { OrganizationSearch } from './queries.ts';

/** Ids are in the URL's search: a customer's id may be `..`, which a browser would remove from a path. */
export const organizationRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'organization',
  validateSearch: (search: Search): OrganizationSearch => ({
    organizationId: text(search['organizationId']) ?? '',
    folderId: text(search['folderId']),
    find: text(search['find']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'OrganizationView'),
});
