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
    ...jobsOfUser(search),
    ...paged(search),
  }),
  component: lazyPage(() => import('./view.tsx'), 'UserView'),
});

/** Returns the jobs of the URL, unless they were started for another user. The API returns no users of a dry run. */
function jobsOfUser(search: Search): Pick<UserSearch, 'jobsUserId' | 'dryRunId' | 'deletionId'> {
  const jobsUserId = text(search['jobsUserId']);
  const ofUser = (jobId: unknown): string | undefined =>
    jobsUserId !== undefined && jobsUserId === text(search['userId']) ? text(jobId) : undefined;
  return { jobsUserId, dryRunId: ofUser(search['dryRunId']), deletionId: ofUser(search['deletionId']) };
}
