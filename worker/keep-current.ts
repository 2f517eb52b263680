import type { Client } from '@temporalio/client';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { limitRepeats, type LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { repeat } from '../platform/process/repeat.ts';
import type { TemporalClient } from '../platform/temporal/temporal-client.ts';
import { isTemporary, readDeployment, setCurrentBuild } from '../platform/temporal/worker-deployment.ts';
import { workflowQueue } from '../workflows/contract.ts';

export interface RoutingOptions {
  readonly configuration: Pick<ServerConfiguration, 'workerVersioning' | 'buildId'>;
  readonly temporal: TemporalClient;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Milliseconds: the limit of an attempt, the delay after a failed one, the delay between two checks, and how long Temporal
 * may refuse without a warning, for example until it has seen the first polls of a build.
 */
const timesMs = { attempt: 10_000, retry: 500, check: 30_000, quiet: 30_000 } as const;

/**
 * With automatic versioning, makes the build of this worker current once. Does so again only when Temporal has lost its
 * data, so that an operator's later choice stays. With manual versioning, logs a warning while the build gets no work.
 */
export async function keepCurrent(options: RoutingOptions): Promise<void> {
  const { configuration, temporal, logger, signal } = options;
  const { workerVersioning, buildId } = configuration;
  if (workerVersioning === 'off') return;
  const repeating = limitRepeats(logger);
  const check = workerVersioning === 'automatic' ? makingCurrent(options) : watching(options, repeating);
  let checkedAt = performance.now();
  await repeat(signal, async () => {
    try {
      const client = temporal.client();
      const checked = await client.connection.withDeadline(Date.now() + timesMs.attempt, async () =>
        check(client),
      );
      checkedAt = performance.now();
      return checked ? timesMs.check : timesMs.retry;
    } catch (error) {
      const isQuiet = isTemporary(error) && performance.now() - checkedAt < timesMs.check + timesMs.quiet;
      if (!isQuiet) repeating.warn({ buildId, reason: errorMessage(error) }, 'worker build not checked');
      return timesMs.retry;
    }
  });
}

/** Returns false when the next check is due soon. */
type Check = (client: Client) => Promise<boolean>;

function makingCurrent({ configuration: { buildId }, logger }: RoutingOptions): Check {
  let done = false;
  return async (client) => {
    if (done && (await readDeployment(client, workflowQueue)).everSet) return true;
    await setCurrentBuild(client, buildId);
    logger.info({ buildId }, 'worker build is current');
    done = true;
    return true;
  };
}

const watching =
  ({ configuration: { buildId } }: RoutingOptions, repeating: LimitedLogger): Check =>
  async (client) => {
    const { builds, current } = await readDeployment(client, workflowQueue);
    const own = builds.find((build) => build.buildId === buildId);
    if (own?.status === 'inactive') {
      const remedy = `npm run cli -- deploy current --build-id ${buildId}`;
      repeating.warn({ buildId, current, remedy }, 'worker build gets no work');
    }
    return own !== undefined;
  };
