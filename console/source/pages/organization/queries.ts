import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { Paged } from '../../shell/search.ts';

/** Members of the page's URL. */
export interface OrganizationSearch extends Paged {
  readonly organizationId: string;
  readonly folderId?: string | undefined;
  /** The beginning of an id or a name of documents, in every folder. */
  readonly find?: string | undefined;
}

export const organizationQuery = ({ keyId, client }: KeyOfPage, organizationId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'organization', organizationId],
    queryFn: async ({ signal }) =>
      (await client.organizations.get({ organizationIds: [organizationId] }, { signal })).data[0] ?? null,
  });

/** The folders of one level: below `folderId`, or the top level. */
export const foldersQuery = (
  { keyId, client }: KeyOfPage,
  organizationId: string,
  folderId: string | undefined,
) =>
  queryOptions({
    queryKey: ['key', keyId, 'folders', organizationId, folderId ?? null],
    queryFn: async ({ signal }) => {
      if (folderId === undefined) {
        const page = await client.folders.get(
          { organizationId, rootFoldersOnly: true, pageSize: 200 },
          { signal },
        );
        return { folders: page.data, more: page.nextPageToken !== undefined };
      }
      const { data } = await client.folders.get({ organizationId, folderId, maxDepth: 1 }, { signal });
      return { folders: data[0]?.subFolders ?? [], more: false };
    },
  });

export const documentsQuery = (
  { keyId, client }: KeyOfPage,
  { organizationId, folderId, find, pageToken }: OrganizationSearch,
) =>
  queryOptions({
    queryKey: ['key', keyId, 'documents', organizationId, { folderId, find, pageToken }],
    queryFn: async ({ signal }) =>
      find === undefined
        ? await client.documents.get({ organizationId, folderId, pageSize: 50, pageToken }, { signal })
        : await client.documents.search(
            { prefix: find, organizationId, pageSize: 50, pageToken },
            { signal },
          ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });
