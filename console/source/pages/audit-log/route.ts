import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { rootRoute } from '../../shell/root-route.tsx';
import { oneOf, paged, text, time, type Search } from '../../shell/search.ts';
import { actorKinds, outcomes, type AuditSearch } from './filters.ts';

export const auditLogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'audit-log',
  validateSearch: (search: Search): AuditSearch => ({
    action: text(search['action']),
    actor: text(search['actor']),
    actorKind: oneOf(search['actorKind'], actorKinds),
    outcome: oneOf(search['outcome'], outcomes),
    from: time(search['from']),
    until: time(search['until']),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'AuditLogView'),
});
