import { setTimeout as pause } from 'node:timers/promises';
import { databaseReasons, type DatabaseSources } from '../platform/health/readiness.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** Milliseconds between two checks. */
const checkDelayMs = 1_000;

/**
 * Resolves once the database is migrated and the configuration fits it, or when `signal` aborts. Work before that would
 * fail, or store secrets under keys that other processes do not have. A later outage of the database does not end work.
 */
export async function awaitDatabase(
  sources: DatabaseSources,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let logged: string | undefined;
  while (!signal.aborted) {
    const reasons = await databaseReasons(sources);
    if (reasons.length === 0) return;
    const cause = reasons.join('\n');
    if (cause !== logged) logger.warn({ reasons }, 'worker waits');
    logged = cause;
    await pause(checkDelayMs, undefined, { signal }).catch(() => undefined);
  }
}
