import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

interface UsersOf {
  readonly organizationId: string;
  readonly find: string | undefined;
  readonly pageToken: string | undefined;
}

export const usersQuery = ({ keyId, client }: KeyOfPage, { organizationId, find, pageToken }: UsersOf) =>
  queryOptions({
    queryKey: ['key', keyId, 'users', organizationId, { find, pageToken }],
    queryFn: async ({ signal }) => {
      const page = await client.users.get(
        { organizationId, searchKey: find, pageSize: 50, pageToken },
        { signal },
      );
      return { users: Object.values(page.data).flat(), next: page.nextPageToken };
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });

/** Users of every organization whose id, e-mail address or name begins with the prefix. */
export const foundUsersQuery = (
  { keyId, client }: KeyOfPage,
  prefix: string,
  pageToken: string | undefined,
) =>
  queryOptions({
    queryKey: ['key', keyId, 'users', 'search', { prefix, pageToken }],
    queryFn: async ({ signal }) => await client.users.search({ prefix, pageSize: 50, pageToken }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });
