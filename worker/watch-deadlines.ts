import { markLate } from '../domain/deletion/late-deletions.ts';
import type { Orm } from '../platform/database/orm.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { logOutage } from '../platform/logging/log-outage.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { repeat } from '../platform/process/repeat.ts';

export interface WatchingOptions {
  readonly orm: Orm;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Milliseconds between two checks. */
const checkDelayMs = 15_000;

/** Reports late deletions while Temporal is down, too. Otherwise timers of Temporal report them. */
export async function watchDeadlines({ orm, logger, signal }: WatchingOptions): Promise<void> {
  const onFailure = logOutage(limitRepeats(logger), 'deadline check failed');
  await repeat(signal, async () => {
    try {
      for (const jobId of await markLate(orm, 'overdue')) {
        logger.error({ alert: 'user-data-deletion-late', jobId }, 'user data deletion late');
      }
    } catch (error) {
      onFailure(error);
    }
    return checkDelayMs;
  });
}
