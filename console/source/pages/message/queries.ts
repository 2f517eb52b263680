import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { Paged } from '../../shell/search.ts';

/** Members of the page's URL. */
export interface MessageSearch extends Paged {
  readonly endpointId: string;
  readonly messageId: string;
}

/** Null for a message that does not exist. */
export const messageQuery = ({ keyId, client }: KeyOfPage, { endpointId, messageId }: MessageSearch) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoint', endpointId, 'message', messageId],
    queryFn: async ({ signal }) => {
      const { data } = await client.workspace.advancedWebhook.endpoints.messages.get(
        { endpointId, messageId },
        { signal },
      );
      return data.messages[0] ?? null;
    },
    refetchInterval: refreshEvery(3_000),
  });

export const attemptsQuery = (
  { keyId, client }: KeyOfPage,
  { endpointId, messageId, pageToken }: MessageSearch,
) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoint', endpointId, 'attempts', messageId, pageToken],
    queryFn: async ({ signal }) => {
      const request = { endpointId, messageId, limit: 50, iterator: pageToken };
      return (await client.workspace.advancedWebhook.endpoints.attempts.get(request, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(3_000),
  });
