import { sharedCalls } from '../process/single-flight.ts';
import { within } from '../process/within.ts';

/** Max milliseconds that a health page waits for a check, so that it responds within 2 s. */
const maxWaitMs = 1_200;

/**
 * A check that returns `failed` when it rejects or lasts longer than 1.2 s. Calls during a running check share it, so a server
 * that hangs never collects more than one.
 */
export function boundedCheck<Result>(check: () => Promise<Result>, failed: Result): () => Promise<Result> {
  const shared = sharedCalls<Result>();
  return async () =>
    within(
      shared('', async () => check().catch(() => failed)),
      maxWaitMs,
      failed,
    );
}
