import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { EndpointSearch } from './endpoint-search.ts';

/** Max endpoints among which one is looked up; the API has no operation for one. */
const maxEndpoints = 1_000;

/** Null for an endpoint that does not exist. */
export const endpointQuery = ({ keyId, client }: KeyOfPage, endpointId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoints', 'one', endpointId],
    queryFn: async ({ signal }) => {
      let read = 0;
      for await (const endpoint of client.workspace.advancedWebhook.endpoints.get(
        { limit: 250 },
        { signal },
      )) {
        if (endpoint.id === endpointId) return endpoint;
        read += 1;
        if (read >= maxEndpoints) break;
      }
      return null;
    },
    refetchInterval: refreshEvery(15_000),
  });

export const statsQuery = ({ keyId, client }: KeyOfPage, endpointId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoint', endpointId, 'stats'],
    queryFn: async ({ signal }) =>
      (await client.workspace.advancedWebhook.endpoints.stats.get({ endpointId }, { signal })).data,
    // Counts up to a day of messages: 0.7 s for a million.
    refetchInterval: refreshEvery(15_000),
  });

export const messagesQuery = (
  { keyId, client }: KeyOfPage,
  { endpointId, eventType, pageToken, ...filters }: EndpointSearch,
) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoint', endpointId, 'messages', { eventType, pageToken, ...filters }],
    queryFn: async ({ signal }) => {
      const eventTypes = eventType === undefined ? undefined : [eventType];
      const request = { ...filters, endpointId, eventTypes, limit: 50, iterator: pageToken };
      return (await client.workspace.advancedWebhook.endpoints.messages.get(request, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(5_000),
  });
