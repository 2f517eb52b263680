import { queryOptions } from '@tanstack/react-query';
import type { Jwks, UserData } from '@steward/client';
import { readPublic } from '../../session/public-document.ts';
import { hasEnded, refreshEvery, retried } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

/** What the page shows of a user's data. */
export type UserAccess = Pick<UserData, 'memberships' | 'permissions' | 'userGroups'> & {
  readonly user: UserData['user'] | undefined;
  readonly next: string | undefined;
};

/**
 * A page of the access of a user in one organization: at most 100 records of each kind. Only the export has them, and
 * the audit log records it, so nothing but the reader's request repeats a read that succeeded.
 */
export const userAccessQuery = (
  { keyId, client }: KeyOfPage,
  request: {
    readonly organizationId: string;
    readonly userId: string;
    readonly pageToken: string | undefined;
  },
) =>
  queryOptions({
    queryKey: ['key', keyId, 'user-access', request],
    queryFn: async ({ signal }): Promise<UserAccess> => {
      const { data, nextPageToken: next } = await client.users.data.get(request, { signal });
      const { user, memberships, permissions, userGroups } = data;
      return { user, memberships, permissions, userGroups, next };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const preferencesQuery = ({ keyId, client }: KeyOfPage, organizationId: string, userId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'preferences', organizationId, userId],
    queryFn: async ({ signal }) =>
      (
        await client.notifications.config.get(
          { organizationId, userId, getOrganizationConfig: true },
          { signal },
        )
      ).data,
  });

/** Refreshes until the deletion has ended. */
export const deletionQuery = ({ keyId, client }: KeyOfPage, jobId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'deletion', jobId],
    queryFn: async ({ signal }) => (await client.users.data.getDeletionStatus({ jobId }, { signal })).data,
    refetchInterval: (query) => refreshEvery(hasEnded(query.state.data) ? undefined : 2_000)(query),
  });

/** The keys with which the deployment signs receipts. They are public. */
export const jwksQuery = queryOptions({
  queryKey: ['jwks'],
  queryFn: ({ signal }) => readPublic<Jwks>('/.well-known/jwks.json', signal),
  staleTime: 600_000,
});

/** Max pages of an export; each has at most 10 MiB. */
const maxPages = 1_000;

/** Reads all data of a user in one organization, until `signal` aborts. `onPage` gets the number of pages read. */
export async function exportUserData(
  { client }: KeyOfPage,
  location: { readonly organizationId: string; readonly userId: string },
  { onPage, signal }: { readonly onPage: (pages: number) => void; readonly signal: AbortSignal },
): Promise<readonly UserData[]> {
  const pages: UserData[] = [];
  let pageToken: string | undefined;
  do {
    const request = { ...location, pageToken };
    const page = await retried(() => client.users.data.get(request, { signal }), signal);
    pages.push(page.data);
    pageToken = page.nextPageToken;
    onPage(pages.length);
  } while (pageToken !== undefined && pages.length < maxPages);
  if (pageToken !== undefined) throw new Error('The export is too large for a browser: use the API.');
  return pages;
}
