import { markLate } from '../domain/deletion/late-deletions.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { logOutage } from '../platform/logging/log-outage.ts';
import { repeat } from '../platform/process/repeat.ts';
import type { LoopOptions } from './loop-options.ts';

/** Milliseconds between two checks. */
const checkDelayMs = 15_000;

/** Reports late deletions while Temporal is down, too. Otherwise timers of Temporal report them. */
export async function watchDeadlines({ orm, logger, signal }: LoopOptions): Promise<void> {
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
