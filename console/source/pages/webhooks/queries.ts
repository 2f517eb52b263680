import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

export const endpointsQuery = ({ keyId, client }: KeyOfPage, iterator: string | undefined) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoints', iterator],
    queryFn: async ({ signal }) =>
      (await client.workspace.advancedWebhook.endpoints.get({ limit: 50, iterator }, { signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(10_000),
  });

export const eventTypesQuery = ({ keyId, client }: KeyOfPage) =>
  queryOptions({
    queryKey: ['key', keyId, 'event-types'],
    queryFn: async ({ signal }) =>
      (await client.workspace.advancedWebhook.eventTypes.get({}, { signal })).data.eventTypes,
    staleTime: 600_000,
  });
