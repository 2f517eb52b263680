import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { WebhookEndpoint } from '@steward/client';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { EndpointSearch } from './endpoint-search.ts';

interface FoundEndpoint {
  /** Null for an endpoint that does not exist. */
  readonly endpoint: WebhookEndpoint | null;
  /** Of the page that has it. */
  readonly iterator?: string | undefined;
}

/** Looks an endpoint up in the list: the API has no operation for one. */
export const endpointQuery = ({ keyId, client }: KeyOfPage, endpointId: string) => {
  const queryKey = ['key', keyId, 'endpoints', 'one', endpointId];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client: queries }): Promise<FoundEndpoint> => {
      // The list is in order of creation: a refresh continues at the page that had the endpoint.
      let iterator = queries.getQueryData<FoundEndpoint>(queryKey)?.iterator;
      const { endpoints } = client.workspace.advancedWebhook;
      for await (const { data } of endpoints.get({ limit: 250, iterator }, { signal }).pages()) {
        const endpoint = data.endpoints.find(({ id }) => id === endpointId);
        if (endpoint !== undefined) return { endpoint, iterator };
        iterator = data.iterator ?? undefined;
      }
      return { endpoint: null };
    },
    select: ({ endpoint }) => endpoint,
    refetchInterval: (query) => refreshEvery(query.state.data?.endpoint === null ? undefined : 15_000)(query),
  });
};

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
