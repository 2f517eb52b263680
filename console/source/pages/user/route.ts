import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { oneOf, paged, text, type Search } from '../../shell/search.ts';
import { userTabs, type UserSearch } from './user-search.ts';

export const userRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'user',
  validateSearch: (search: Search): UserSearch => ({
    userId: text(search['userId']) ?? '',
    organizationId: text(search['organizationId']),
    tab: oneOf(search['tab'], userTabs),
    dryRunId: text(search['dryRunId']),
    deletionId: text(search['deletionId']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'UserView'),
});
