import { queryOptions } from '@tanstack/react-query';
import type { Job, OperatorJob } from '@steward/client';
import { operatorClient } from '../../session/clients.ts';
import { hasEnded, refreshEvery } from '../../session/query-client.ts';
import type { Session } from '../../session/session.ts';
import type { KeyOfPage } from '../../shell/key-of-page.ts';

/** Refreshes until the job has ended. An operator reads it with the deployment's own operation. */
export const jobQuery = ({ keyId, client }: KeyOfPage, kind: Session['kind'], jobId: string) =>
  queryOptions({
    queryKey: ['key', keyId, 'job', jobId],
    queryFn: async ({ signal }): Promise<Job | OperatorJob> =>
      kind === 'operator'
        ? (await operatorClient.operator.jobs.get({ jobId }, { signal })).data
        : (await client.jobs.get({ jobId }, { signal })).data,
    refetchInterval: (query) => refreshEvery(hasEnded(query.state.data) ? undefined : 2_000)(query),
  });
