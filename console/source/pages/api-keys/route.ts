import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { rootRoute } from '../../shell/root-route.tsx';
import { paged, text, type Paged, type Search } from '../../shell/search.ts';

export interface ApiKeysSearch extends Paged {
  /** The public id of the key whose tokens are shown. */
  readonly keyId?: string | undefined;
}

export const apiKeysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'api-keys',
  validateSearch: (search: Search): ApiKeysSearch => ({ keyId: text(search['keyId']), ...paged(search) }),
  component: lazyPage(() => import('./view.tsx'), 'ApiKeysView'),
});
