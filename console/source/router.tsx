import { createRouter } from '@tanstack/react-router';
import { Loading } from './elements/states.tsx';
import { apiKeysRoute } from './pages/api-keys/route.ts';
import { auditLogRoute } from './pages/audit-log/route.ts';
import { documentRoute } from './pages/document/route.ts';
import { endpointRoute } from './pages/endpoint/route.ts';
import { firstPageRoute } from './pages/first-page/route.ts';
import { allJobsRoute, jobsRoute } from './pages/jobs/route.ts';
import { jobRoute } from './pages/job/route.ts';
import { messageRoute } from './pages/message/route.ts';
import { notificationsRoute } from './pages/notifications/route.ts';
import { organizationRoute } from './pages/organization/route.ts';
import { organizationsRoute } from './pages/organizations/route.ts';
import { overviewRoute } from './pages/overview/route.ts';
import { sessionsRoute } from './pages/sessions/route.ts';
import { settingsRoute } from './pages/settings/route.ts';
import { userRoute } from './pages/user/route.ts';
import { usersRoute } from './pages/users/route.ts';
import { webhooksRoute } from './pages/webhooks/route.ts';
import { keyRoute } from './shell/key-route.tsx';
import { PageFailure, rootRoute } from './shell/root-route.tsx';
import { parseSearch } from './shell/search.ts';

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    firstPageRoute,
    allJobsRoute,
    apiKeysRoute,
    auditLogRoute,
    sessionsRoute,
    keyRoute.addChildren([
      overviewRoute,
      organizationsRoute,
      organizationRoute,
      documentRoute,
      usersRoute,
      userRoute,
      webhooksRoute,
      endpointRoute,
      messageRoute,
      notificationsRoute,
      settingsRoute,
      jobsRoute,
      jobRoute,
    ]),
  ]),
  basepath: '/console',
  parseSearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: PageFailure,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
