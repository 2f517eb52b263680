import { recordDueEvents } from '../domain/crdt/record-due-events.ts';
import { classifyDatabaseError } from '../platform/database/failures.ts';
import type { Orm } from '../platform/database/orm.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { repeat } from '../platform/process/repeat.ts';

export interface AnnouncingOptions {
  readonly orm: Orm;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Milliseconds between two checks. */
const checkDelayMs = 1_000;

/**
 * Records the events of collaborative data within about 1 s of their due time. Only this loop looks for due events, so
 * a failure must not end it. It runs in every worker; row locks let one of them record an event.
 */
export async function keepAnnouncing({ orm, logger, signal }: AnnouncingOptions): Promise<void> {
  const repeating = limitRepeats(logger);
  await repeat(signal, async () => {
    try {
      await recordDueEvents(orm);
    } catch (error) {
      if (classifyDatabaseError(error) === 'unexpected') repeating.error({ err: error }, 'unexpected error');
      else repeating.debug({ err: error }, 'collaborative data announcement failed');
    }
    return checkDelayMs;
  });
}
