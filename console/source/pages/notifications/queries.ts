import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { NotificationsSearch } from './filters.ts';

export const deliveriesQuery = (
  { keyId, client }: KeyOfPage,
  { channel, status, ...search }: NotificationsSearch & { readonly organizationId: string },
) =>
  queryOptions({
    queryKey: ['key', keyId, 'deliveries', { channel, status, ...search }],
    queryFn: async ({ signal }) =>
      await client.notifications.deliveries.get(
        {
          ...search,
          channels: channel && [channel],
          statuses: status && [status],
          pageSize: 50,
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(5_000),
  });
