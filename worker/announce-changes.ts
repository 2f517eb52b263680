import { recordDueEvents } from '../domain/crdt/record-due-events.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { logOutage } from '../platform/logging/log-outage.ts';
import { repeat } from '../platform/process/repeat.ts';
import type { LoopOptions } from './loop-options.ts';

/** Milliseconds between two checks. */
const checkDelayMs = 1_000;

/**
 * Records the events of collaborative data within about 1 s of their due time. Only this loop looks for due events, so
 * a failure must not end it. It runs in every worker; row locks let one of them record an event.
 */
export async function announceChanges({ orm, logger, signal }: LoopOptions): Promise<void> {
  const onFailure = logOutage(limitRepeats(logger), 'collaborative data announcement failed');
  await repeat(signal, async () => {
    await recordDueEvents(orm).catch(onFailure);
    return checkDelayMs;
  });
}
