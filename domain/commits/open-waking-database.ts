import type { ServerConfiguration } from '../../platform/config/configuration.ts';
import type { Database, DatabaseOptions } from '../../platform/database/open-database.ts';
import { openProcessDatabase } from '../../platform/database/open-process-database.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { whenUndrained } from '../events/events-recorded.ts';
import { whenPlanned } from '../notices/notices-planned.ts';
import { openUsageMeter } from '../usage/open-usage-meter.ts';
import type { UsageMeter } from '../usage/usage-meter.ts';

/** Wakes the workflows of what a commit left: the events of a key, and the notices of a sender. */
export interface CommitWakes {
  readonly events: Parameters<typeof whenUndrained>[0];
  readonly notices: Parameters<typeof whenPlanned>[0];
}

/**
 * Opens the database of an API or worker process. Commits wake workflows and count usage: the caller writes the rest of
 * the usage before it closes the database.
 */
export function openWakingDatabase(
  configuration: ServerConfiguration,
  logger: Logger,
  options: Pick<DatabaseOptions, 'statementTimeoutMs' | 'plansOnce' | 'entities'>,
  wakes: CommitWakes,
): { readonly database: Database; readonly usage: UsageMeter } {
  const onUndrained = whenUndrained(wakes.events);
  const onPlanned = whenPlanned(wakes.notices);
  const usage = openUsageMeter(() => database.orm, logger);
  const database = openProcessDatabase(configuration, logger, {
    ...options,
    onAnnounced: (announcement) => {
      onUndrained(announcement);
      onPlanned(announcement);
      usage.onAnnounced(announcement);
    },
  });
  return { database, usage };
}
