import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { WebhookEndpoint } from '@steward/client';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

interface Endpoints {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly iterator: string | null;
  readonly done: boolean;
  /** True while webhooks of the key are off. */
  readonly off?: boolean;
}

const off: Endpoints = { endpoints: [], iterator: null, done: true, off: true };

export const endpointsQuery = ({ keyId, client }: KeyOfPage, iterator: string | undefined) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoints', iterator],
    queryFn: async ({ signal }): Promise<Endpoints> => {
      const { advancedWebhook, advancedWebhookConfig } = client.workspace;
      // A session without the scope to read the configuration requests the endpoints directly.
      const isOff = await advancedWebhookConfig.get({}, { signal }).then(
        ({ data }) => !data.isEnabled,
        () => false,
      );
      if (isOff) return off;
      return (await advancedWebhook.endpoints.get({ limit: 50, iterator }, { signal })).data;
    },
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
