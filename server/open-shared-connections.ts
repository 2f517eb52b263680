import { openWakingDatabase } from '../domain/commits/open-waking-database.ts';
import { entities } from '../domain/entities.ts';
import { openPermissionProvider } from '../domain/permissions/provider/open-provider.ts';
import { openWebhookProvider } from '../domain/webhooks/open-provider.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import type { DatabaseOptions } from '../platform/database/open-database.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import type { LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { addDatabaseMetrics } from '../platform/metrics/database-metrics.ts';
import type { Metrics } from '../platform/metrics/open-metrics.ts';
import { openOutbound } from '../platform/outbound/outbound-connections.ts';
import type { ClosingStack } from '../platform/process/closing-stack.ts';
import { openTemporal } from '../platform/temporal/temporal-client.ts';
import { noWakes, wakesOf } from '../platform/temporal/wakes.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { dispatchStartOf, originHeaders, sendStartOf } from '../workflows/starts.ts';

/** Max milliseconds to wake a workflow. */
const wakeMs = 5_000;

export interface ConnectionOptions {
  readonly configuration: ServerConfiguration;
  readonly logger: Logger;
  /** Logs repeated lines at most once per period. */
  readonly repeating: LimitedLogger;
  readonly metrics: Metrics;
  /** Undefined while tracing is off. */
  readonly tracing: Tracing | undefined;
  /** Closes what was opened: usage is written and wakes are sent before their connections end. */
  readonly closing: ClosingStack;
}

/**
 * Opens the connections that an API process and a worker have in common. No server needs to be available: each is
 * connected to at its first use.
 */
export async function openSharedConnections(
  { configuration, logger, repeating, metrics, tracing, closing }: ConnectionOptions,
  statements: Pick<DatabaseOptions, 'statementTimeoutMs' | 'plansOnce'>,
) {
  const keyRing = new KeyRing(configuration.encryptionKeys);
  const paused = configuration.paused.has('deliveries');
  const temporal = openTemporal({
    ...configuration.temporal,
    headers: originHeaders(tracing),
    onUnknownAttribute: (searchAttribute) =>
      repeating.warn({ searchAttribute }, 'search attribute not registered'),
  });
  await closing.add(async () => temporal.close());
  const wakes = paused ? noWakes : wakesOf(temporal, wakeMs, repeating);
  await closing.add(async () => wakes.flush());
  const { database, usage } = openWakingDatabase(
    configuration,
    logger,
    { ...statements, entities },
    {
      events: (keyId) => wakes.wake(dispatchStartOf({ keyId })),
      notices: (sender) => wakes.wake(sendStartOf(sender)),
    },
  );
  await closing.add(async () => database.close());
  await closing.add(async () => usage.write());
  const { orm } = database;
  addDatabaseMetrics(metrics.registry, database);
  const outbound = openOutbound({
    allowedNetworks: configuration.outboundAllowedNetworks,
    httpsOnly: configuration.webhookHttpsOnly,
    paused,
  });
  await closing.add(async () => outbound.close());
  return {
    keyRing,
    temporal,
    wakes,
    database,
    orm,
    usage,
    outbound,
    permissionProvider: openPermissionProvider(configuration, { orm, keyRing, logger }),
    webhooks: await openWebhookProvider(configuration),
  };
}
