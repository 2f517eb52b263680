import { queryOptions } from '@tanstack/react-query';
import type { JobsListRequest, UsagePeriod } from '@steward/client';
import { operatorClient, workspaceClient } from '../../session/clients.ts';
import { refreshEvery } from '../../session/query-client.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

const hourMs = 3_600_000;
const hours = 48;

/** The last 48 hours, oldest first; hours without a request are 0. */
async function completed(
  read: (from: number) => Promise<readonly UsagePeriod[]>,
): Promise<readonly UsageHour[]> {
  const last = Math.floor(Date.now() / hourMs) * hourMs;
  const first = last - (hours - 1) * hourMs;
  const found = new Map((await read(first)).map((period) => [period.startsAt, period]));
  return Array.from({ length: hours }, (_, index) => {
    const at = first + index * hourMs;
    return { at, requests: found.get(at)?.requests ?? 0, errors: found.get(at)?.errors ?? 0 };
  });
}

export interface UsageHour {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
}

export const operatorUsageQuery = (keyId: string) =>
  queryOptions({
    queryKey: ['operator', 'usage', keyId],
    queryFn: ({ signal }) =>
      completed(
        async (from) =>
          (await operatorClient.operator.usage.get({ keyId, by: 'hour', from, pageSize: 100 }, { signal }))
            .data,
      ),
    refetchInterval: refreshEvery(60_000),
  });

/** `apiKey` is the key itself: the operation of workspaces names it so. */
export const workspaceUsageQuery = (keyId: string, apiKey: string | undefined) =>
  queryOptions({
    queryKey: ['workspace', 'usage', keyId],
    queryFn: ({ signal }) =>
      completed(async (from) => {
        if (apiKey === undefined) return [];
        const request = { apiKey, by: 'hour', from, pageSize: 100 } as const;
        return (await workspaceClient.workspace.usage.get(request, { signal })).data;
      }),
    enabled: apiKey !== undefined,
    refetchInterval: refreshEvery(60_000),
  });

/** Max jobs that a figure counts. */
export const maxCounted = 100;

export const jobCountQuery = ({ keyId, client }: KeyOfPage, status: NonNullable<JobsListRequest['status']>) =>
  queryOptions({
    queryKey: ['key', keyId, 'jobs', 'count', status],
    queryFn: async ({ signal }) =>
      (await client.jobs.list({ status, pageSize: maxCounted }, { signal })).data.length,
    refetchInterval: refreshEvery(10_000),
  });
