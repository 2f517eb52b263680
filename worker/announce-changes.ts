import { setTimeout as pause } from 'node:timers/promises';
import { announceChanges } from '../domain/crdt/announce-changes.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Logger } from '../platform/logging/logger.ts';

export interface AnnouncingOptions {
  readonly orm: Orm;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks. */
const betweenLooks = 1_000;

/** Makes the events of collaborative data soon after they are due; the sweep, which does so too, comes too seldom for that. */
export async function keepAnnouncing({ orm, logger, signal }: AnnouncingOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      await announceChanges(orm);
    } catch (error) {
      logger.debug({ err: error }, 'collaborative data announcement failed');
    }
    await pause(betweenLooks, undefined, { signal }).catch(() => undefined);
  }
}
