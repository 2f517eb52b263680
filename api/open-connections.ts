import { openWakingDatabase } from '../domain/commits/open-waking-database.ts';
import { openCrdtReads } from '../domain/crdt/crdt-reads.ts';
import { TokenUses } from '../domain/credentials/token-uses.ts';
import { openSenders } from '../domain/deliveries/senders.ts';
import { entities } from '../domain/entities.ts';
import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import { openPermissionProvider } from '../domain/permissions/provider/open-provider.ts';
import { respondedChannel } from '../domain/rewriter/staged-requests.ts';
import { openWebhookProvider } from '../domain/webhooks/open-provider.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { ChannelListener } from '../platform/database/channel-listener.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import type { LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { addCacheMetrics } from '../platform/metrics/cache-metrics.ts';
import { addDatabaseMetrics } from '../platform/metrics/database-metrics.ts';
import type { Metrics } from '../platform/metrics/open-metrics.ts';
import { openOutbound } from '../platform/outbound/outbound-connections.ts';
import { openTemporal } from '../platform/temporal/temporal-client.ts';
import { noWakes, wakesOf } from '../platform/temporal/wakes.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { dispatchStartOf, originHeaders, sendStartOf, workflowStartOf } from '../workflows/starts.ts';

/** Timeouts in milliseconds. The sweep repeats a workflow start that times out. */
const limits = { workflowStart: 500, wake: 5_000, statement: 10_000, tokenUses: 5_000 } as const;

export interface ConnectionOptions {
  readonly configuration: ServerConfiguration;
  readonly logger: Logger;
  /** Logs repeated lines at most once per period. */
  readonly repeating: LimitedLogger;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
}

/** The connections of an API process. */
export type Connections = Awaited<ReturnType<typeof openConnections>>;

/** Opens the connections of an API process. No server needs to be available: each is connected to at its first use. */
export async function openConnections(options: ConnectionOptions) {
  const { configuration, logger, metrics } = options;
  const keyRing = new KeyRing(configuration.encryptionKeys);
  const { temporal, startJob, wakes } = openWorkflows(options);
  const { database, usage } = openWakingDatabase(
    configuration,
    logger,
    { statementTimeoutMs: limits.statement, plansOnce: true, entities },
    {
      events: (keyId) => wakes.wake(dispatchStartOf({ keyId })),
      notices: (sender) => wakes.wake(sendStartOf(sender)),
    },
  );
  const { orm } = database;
  const tokenUses = new TokenUses(() => orm.em.fork(), limits.tokenUses);
  addDatabaseMetrics(metrics.registry, database);
  const listener = new ChannelListener({ url: configuration.databaseDirectUrl, channel: respondedChannel });
  const outbound = openOutbound({
    allowedNetworks: configuration.outboundAllowedNetworks,
    httpsOnly: configuration.webhookHttpsOnly,
    paused: configuration.paused.has('deliveries'),
  });
  const senders = openSenders(configuration.messaging, (path) => logger.info({ path }, 'mail written'));
  const crdtReads = openCrdtReads(orm.em);
  const permissionProvider = openPermissionProvider(configuration, { orm, keyRing, logger });
  addCacheMetrics(metrics.registry, {
    collaborative_data: crdtReads.counts,
    permission_provider: permissionProvider.counts,
  });
  return {
    keyRing,
    temporal,
    startJob,
    wakes,
    usage,
    database,
    orm,
    tokenUses,
    listener,
    outbound,
    senders,
    crdtReads,
    permissionProvider,
    webhooks: await openWebhookProvider(configuration),
    close: async () => {
      await outbound.close();
      await senders.close();
      await wakes.flush();
      await temporal.close();
      await listener.close();
      await tokenUses.flush();
      await usage.write();
      await database.close();
    },
  };
}

/** Opens the Temporal client, which starts and wakes workflows in the background. */
function openWorkflows({ configuration, repeating, tracing }: ConnectionOptions) {
  const { paused } = configuration;
  const temporal = openTemporal({
    ...configuration.temporal,
    headers: originHeaders(tracing),
    onUnknownAttribute: (searchAttribute) =>
      repeating.warn({ searchAttribute }, 'search attribute not registered'),
  });
  const startJob = (job: StartableJob): void => {
    if (paused.has('jobs')) return;
    temporal.start(workflowStartOf(job), limits.workflowStart).catch((error: Error) => {
      repeating.info({ jobId: job.jobId, reason: error.message }, 'workflow start failed');
    });
  };
  const wakes = paused.has('deliveries') ? noWakes : wakesOf(temporal, limits.wake, repeating);
  return { temporal, startJob, wakes };
}
