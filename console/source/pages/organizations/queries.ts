import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { Paged } from '../../shell/search.ts';

/** Members of the page's URL. */
export interface OrganizationsSearch extends Paged {
  /** The beginning of an id or a name. */
  readonly find?: string | undefined;
}

export const organizationsQuery = ({ keyId, client }: KeyOfPage, { find, pageToken }: OrganizationsSearch) =>
  queryOptions({
    queryKey: ['key', keyId, 'organizations', { find, pageToken }],
    queryFn: async ({ signal }) =>
      find === undefined
        ? await client.organizations.get({ pageSize: 50, pageToken }, { signal })
        : await client.organizations.search({ prefix: find, pageSize: 50, pageToken }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });
