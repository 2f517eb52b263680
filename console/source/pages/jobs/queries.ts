import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { operatorClient, workspaceClient } from '../../session/clients.ts';
import { refreshEvery } from '../../session/query-client.ts';
import type { Session } from '../../session/session.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import type { JobsSearch } from './filters.ts';

const pageSize = 50;

export const jobsQuery = ({ keyId, client }: KeyOfPage, { kind, status, pageToken }: JobsSearch) =>
  queryOptions({
    queryKey: ['key', keyId, 'jobs', { kind, status, pageToken }],
    queryFn: async ({ signal }) => await client.jobs.list({ kind, status, pageSize, pageToken }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(3_000),
  });

/** Jobs of every key of the workspace, or of the deployment. */
export const allJobsQuery = (session: Session['kind'], { kind, status, pageToken }: JobsSearch) =>
  queryOptions({
    queryKey: [session, 'jobs', { kind, status, pageToken }],
    queryFn: async ({ signal }) =>
      session === 'operator'
        ? await operatorClient.operator.jobs.list({ kind, status, pageSize, pageToken }, { signal })
        : await workspaceClient.workspace.jobs.list({ kind, status, pageSize, pageToken }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(3_000),
  });
