import { queryOptions } from '@tanstack/react-query';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

const hourMs = 3_600_000;
const hours = 48;

export interface UsageHour {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
}

/** The last 48 hours, oldest first; hours without a request are 0. */
export const usageQuery = ({ keyId, client }: KeyOfPage) =>
  queryOptions({
    queryKey: ['key', keyId, 'usage'],
    queryFn: async ({ signal }): Promise<readonly UsageHour[]> => {
      const last = Math.floor(Date.now() / hourMs) * hourMs;
      const from = last - (hours - 1) * hourMs;
      const { data } = await client.usage.get({ by: 'hour', from, pageSize: 100 }, { signal });
      const found = new Map(data.map((period) => [period.startsAt, period]));
      return Array.from({ length: hours }, (_, index) => {
        const at = from + index * hourMs;
        return { at, requests: found.get(at)?.requests ?? 0, errors: found.get(at)?.errors ?? 0 };
      });
    },
    refetchInterval: refreshEvery(60_000),
  });

export const overviewQuery = ({ keyId, client }: KeyOfPage) =>
  queryOptions({
    queryKey: ['key', keyId, 'overview'],
    queryFn: async ({ signal }) => (await client.overview.get({}, { signal })).data,
    refetchInterval: refreshEvery(10_000),
  });

/** The first 100 endpoints, also while webhooks are off. */
export const healthQuery = ({ keyId, client }: KeyOfPage) =>
  queryOptions({
    queryKey: ['key', keyId, 'endpoints', 'health'],
    queryFn: async ({ signal }) => {
      const { endpoints } = client.workspace.advancedWebhook;
      const page = await endpoints.health.get({ pageSize: 100 }, { signal });
      return { endpoints: page.data, more: page.nextPageToken !== undefined };
    },
    refetchInterval: refreshEvery(10_000),
  });
