import { openWakingDatabase } from '../domain/commits/open-waking-database.ts';
import { entities } from '../domain/entities.ts';
import { openPermissionProvider } from '../domain/permissions/provider/open-provider.ts';
import { openWebhookProvider } from '../domain/webhooks/open-provider.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import type { LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { addDatabaseMetrics } from '../platform/metrics/database-metrics.ts';
import type { Metrics } from '../platform/metrics/open-metrics.ts';
import { openOutbound } from '../platform/outbound/outbound-connections.ts';
import { openTemporal } from '../platform/temporal/temporal-client.ts';
import { noWakes, wakesOf } from '../platform/temporal/wakes.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { dispatchStartOf, originHeaders, sendStartOf } from '../workflows/starts.ts';
import { openSending } from './open-sending.ts';

/** Timeouts in milliseconds. A statement may wait for locks of API transactions, whose own limit is 10 s. */
const limitsMs = { statement: 60_000, wake: 5_000 } as const;

interface ConnectionOptions {
  readonly configuration: ServerConfiguration;
  readonly logger: Logger;
  /** Logs repeated lines at most once per period. */
  readonly repeating: LimitedLogger;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
}

/** Opens the connections of a worker. No server needs to be available: each is connected to at its first use. */
export async function openConnections({
  configuration,
  logger,
  repeating,
  metrics,
  tracing,
}: ConnectionOptions) {
  const paused = configuration.paused.has('deliveries');
  const temporal = openTemporal({
    ...configuration.temporal,
    headers: originHeaders(tracing),
    onUnknownAttribute: (searchAttribute) =>
      repeating.warn({ searchAttribute }, 'search attribute not registered'),
  });
  const outbound = openOutbound({
    allowedNetworks: configuration.outboundAllowedNetworks,
    httpsOnly: configuration.webhookHttpsOnly,
    paused,
  });
  const wakes = paused ? noWakes : wakesOf(temporal, limitsMs.wake, repeating);
  const { database, usage } = openWakingDatabase(
    configuration,
    logger,
    { statementTimeoutMs: limitsMs.statement, plansOnce: false, entities },
    {
      events: (keyId) => wakes.wake(dispatchStartOf({ keyId })),
      notices: (sender) => wakes.wake(sendStartOf(sender)),
    },
  );
  const { orm } = database;
  addDatabaseMetrics(metrics.registry, database);
  const keyRing = new KeyRing(configuration.encryptionKeys);
  const sending = openSending(configuration, logger);
  return {
    keyRing,
    temporal,
    outbound,
    wakes,
    database,
    orm,
    sending,
    permissionProvider: openPermissionProvider(configuration, { orm, keyRing, logger }),
    webhooks: await openWebhookProvider(configuration),
    close: async () => {
      await outbound.close();
      await sending.senders.close();
      await temporal.close();
      await usage.write();
      await database.close();
    },
  };
}
