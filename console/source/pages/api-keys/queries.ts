import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiKey } from '@steward/client';
import { operatorClient, workspaceClient } from '../../session/clients.ts';
import { refreshEvery } from '../../session/query-client.ts';

/** A key of the workspace with its public id. `apiKey` is the key itself: it is sent, and never shown. */
export interface WorkspaceKey {
  readonly keyId: string;
  readonly apiKey: string;
  readonly name: string;
  readonly type: ApiKey['type'];
}

export const workspaceKeysQuery = (pageToken: string | undefined) =>
  queryOptions({
    queryKey: ['workspace', 'keys', pageToken],
    queryFn: async ({ signal }) => {
      const page = await workspaceClient.workspace.apiKeys.get({ pageSize: 50, pageToken }, { signal });
      const keys = await Promise.all(
        page.data.map(async ({ id, apiKeyName, type }): Promise<WorkspaceKey> => {
          return { keyId: await publicId(id), apiKey: id, name: apiKeyName, type };
        }),
      );
      return { keys, next: page.nextPageToken };
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });

/** Keys that an operator may see. */
export const operatorKeysQuery = (pageToken: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'keys', pageToken],
    queryFn: async ({ signal }) =>
      await operatorClient.operator.keys.list({ pageSize: 50, pageToken }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(15_000),
  });

export const tokensQuery = ({ keyId, apiKey }: WorkspaceKey) =>
  queryOptions({
    queryKey: ['workspace', 'tokens', keyId],
    queryFn: async ({ signal }) =>
      (await workspaceClient.workspace.authTokens.list({ apiKey }, { signal })).data.authTokens,
    refetchInterval: refreshEvery(15_000),
  });

/** The public id of a key is the start of the SHA-256 hash of its SHA-256 hash, by which the API stores it. */
async function publicId(apiKey: string): Promise<string> {
  const stored = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(apiKey));
  const hash = await crypto.subtle.digest('SHA-256', stored);
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `akid_${hex.slice(0, 32)}`;
}
