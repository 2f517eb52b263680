import { openCrdtReads } from '../domain/crdt/crdt-reads.ts';
import { TokenUses } from '../domain/credentials/token-uses.ts';
import { openSenders } from '../domain/deliveries/senders.ts';
import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import { respondedChannel } from '../domain/rewriter/staged-requests.ts';
import { ChannelListener } from '../platform/database/channel-listener.ts';
import { addCacheMetrics } from '../platform/metrics/cache-metrics.ts';
import type { TemporalClient } from '../platform/temporal/temporal-client.ts';
import { openSharedConnections, type ConnectionOptions } from '../server/open-shared-connections.ts';
import { workflowStartOf } from '../workflows/starts.ts';

/** Timeouts. The sweep repeats a workflow start that times out. */
const limitsMs = { workflowStart: 500, statement: 10_000, tokenUses: 5_000 } as const;

/** The connections of an API process. */
export type Connections = Awaited<ReturnType<typeof openConnections>>;

/** Opens the connections of an API process. No server needs to be available: each is connected to at its first use. */
export async function openConnections(options: ConnectionOptions) {
  const { configuration, logger, metrics, closing } = options;
  const shared = await openSharedConnections(options, {
    statementTimeoutMs: limitsMs.statement,
    plansOnce: true,
  });
  const { orm, permissionProvider } = shared;
  const tokenUses = new TokenUses(() => orm.em.fork(), limitsMs.tokenUses);
  await closing.add(async () => tokenUses.flush());
  const listener = new ChannelListener({ url: configuration.databaseDirectUrl, channel: respondedChannel });
  await closing.add(async () => listener.close());
  const senders = openSenders(configuration.messaging, (path) => logger.info({ path }, 'mail written'));
  await closing.add(async () => senders.close());
  const crdtReads = openCrdtReads(orm.em);
  addCacheMetrics(metrics.registry, {
    collaborative_data: crdtReads.counts,
    permission_provider: permissionProvider.counts,
  });
  return {
    ...shared,
    startJob: startJobsOf(options, shared.temporal),
    tokenUses,
    listener,
    senders,
    crdtReads,
  };
}

/** Starts the workflows of jobs in the background. */
function startJobsOf(
  { configuration: { paused }, repeating }: ConnectionOptions,
  temporal: Pick<TemporalClient, 'start'>,
): (job: StartableJob) => void {
  return (job) => {
    if (paused.has('jobs')) return;
    temporal.start(workflowStartOf(job), limitsMs.workflowStart).catch((error: Error) => {
      repeating.info({ jobId: job.jobId, reason: error.message }, 'workflow start failed');
    });
  };
}
