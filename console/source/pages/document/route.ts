import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { oneOf, paged, text, type Paged, type Search } from '../../shell/search.ts';
import { documentTabs, type DocumentTab } from './tabs.ts';

export interface DocumentSearch extends Paged {
  readonly organizationId: string;
  readonly documentId: string;
  readonly tab?: DocumentTab | undefined;
  /** The user whose access is explained. */
  readonly userId?: string | undefined;
  /** The editor whose collaborative data is shown. */
  readonly editorId?: string | undefined;
  /** The webhook endpoint whose messages are listed. */
  readonly endpointId?: string | undefined;
  /** The migration that is watched. */
  readonly migrationId?: string | undefined;
}

export const documentRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'document',
  validateSearch: (search: Search): DocumentSearch => ({
    organizationId: text(search['organizationId']) ?? '',
    documentId: text(search['documentId']) ?? '',
    tab: oneOf(search['tab'], documentTabs),
    userId: text(search['userId']),
    editorId: text(search['editorId']),
    endpointId: text(search['endpointId']),
    migrationId: text(search['migrationId']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'DocumentView'),
});
