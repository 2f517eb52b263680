import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { DocumentMigration } from '@steward/client';
import { hasEnded, refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

export interface DocumentLocation {
  readonly organizationId: string;
  readonly documentId: string;
}

/** The key of a query about one document, below its API key. */
const keyOf = (
  keyId: string,
  { organizationId, documentId }: DocumentLocation,
  ...rest: readonly unknown[]
) => ['key', keyId, 'document', organizationId, documentId, ...rest];

/** Null for a document that does not exist. */
export const documentQuery = ({ keyId, client }: KeyOfPage, document: DocumentLocation) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'record'),
    queryFn: async ({ signal }) => {
      const { organizationId, documentId } = document;
      const { data } = await client.documents.get({ organizationId, documentIds: [documentId] }, { signal });
      return data[0] ?? null;
    },
    refetchInterval: refreshEvery(15_000),
  });

export const accessQuery = ({ keyId, client }: KeyOfPage, document: DocumentLocation, userId: string) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'access', userId),
    queryFn: async ({ signal }) => {
      const { organizationId, documentId } = document;
      const resource = { type: 'document', id: documentId, organizationId } as const;
      const { data } = await client.auth.permissions.check(
        { userId, resources: [resource], explain: true },
        { signal },
      );
      return data[0] ?? null;
    },
  });

export const threadsQuery = (
  { keyId, client }: KeyOfPage,
  document: DocumentLocation,
  pageToken: string | undefined,
) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'threads', pageToken),
    queryFn: async ({ signal }) => {
      const page = await client.commentAnnotations.get({ ...document, pageSize: 20, pageToken }, { signal });
      return { threads: Object.values(page.data).flat(), next: page.nextPageToken };
    },
    placeholderData: keepPreviousData,
  });

export const activityQuery = (
  { keyId, client }: KeyOfPage,
  document: DocumentLocation,
  pageToken: string | undefined,
) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'activity', pageToken),
    queryFn: async ({ signal }) =>
      await client.activities.get({ ...document, pageSize: 50, pageToken }, { signal }),
    placeholderData: keepPreviousData,
  });

export const editorsQuery = (
  { keyId, client }: KeyOfPage,
  document: DocumentLocation,
  pageToken: string | undefined,
) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'editors', pageToken),
    queryFn: async ({ signal }) =>
      await client.crdt.list({ ...document, pageSize: 50, pageToken }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });

/** The content of one editor; null for an editor without content. */
export const contentQuery = ({ keyId, client }: KeyOfPage, document: DocumentLocation, editorId: string) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'content', editorId),
    queryFn: async ({ signal }) =>
      (await client.crdt.get({ ...document, editorId }, { signal })).data[0] ?? null,
  });

export const notificationsQuery = (
  { keyId, client }: KeyOfPage,
  document: DocumentLocation,
  pageToken: string | undefined,
) =>
  queryOptions({
    queryKey: keyOf(keyId, document, 'notifications', pageToken),
    queryFn: async ({ signal }) =>
      await client.notifications.get({ ...document, pageSize: 50, pageToken }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Whether the status of a migration is final. Completion is not: the verification scan follows it. */
const isFinal = (migration: DocumentMigration | undefined): boolean =>
  hasEnded(migration) && (migration?.status !== 'completed' || migration.verified !== null);

/** Refreshes until the migration is verified, or has failed. */
export const migrationQuery = ({ keyId, client }: KeyOfPage, organizationId: string, migrationId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'migration', organizationId, migrationId],
    queryFn: async ({ signal }) =>
      (await client.documents.getMigrationStatus({ organizationId, migrationId }, { signal })).data,
    refetchInterval: (query) => refreshEvery(isFinal(query.state.data) ? undefined : 2_000)(query),
  });
