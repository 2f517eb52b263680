import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { NotificationsSearch } from './filters.ts';

export const deliveriesQuery = (
  { keyId, client }: KeyOfPage,
  { channel, status, ...search }: Omit<NotificationsSearch, 'tab'> & { readonly organizationId: string },
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

/** The input of `notifications/explain`, by the customer's ids. */
export interface Explained {
  readonly organizationId: string;
  readonly notificationId: string;
  readonly userId: string;
}

export const explanationQuery = ({ keyId, client }: KeyOfPage, explained: Explained) =>
  queryOptions({
    queryKey: ['key', keyId, 'notification-explanation', explained],
    queryFn: async ({ signal }) => (await client.notifications.explain(explained, { signal })).data,
    refetchInterval: refreshEvery(10_000),
  });
