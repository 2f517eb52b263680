import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiKey } from '@steward/client';
import { operatorClient, workspaceClient } from '../../session/clients.ts';
import { refreshEvery } from '../../session/query-client.ts';

/** A key of the workspace with its public id. `apiKey` is the key itself, which is sent but never shown. */
export interface WorkspaceKey {
  readonly keyId: string;
  readonly apiKey: string;
  readonly name: string;
  readonly type: ApiKey['type'];
  readonly enabled: boolean;
}

export const workspaceKeysQuery = (pageToken: string | undefined) =>
  queryOptions({
    queryKey: ['workspace', 'keys', pageToken],
    queryFn: async ({ signal }) => {
      const page = await workspaceClient.workspace.apiKeys.get(
        { pageSize: 50, pageToken, includeState: true },
        { signal },
      );
      const keys = page.data.map(
        ({ id: apiKey, apiKeyName: name, type, keyId = '', enabled = true }): WorkspaceKey => ({
          apiKey,
          name,
          type,
          keyId,
          enabled,
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
