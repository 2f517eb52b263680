import type { ServerConfiguration } from '../config/configuration.ts';
import { limitRepeats } from '../logging/limit-repeats.ts';
import type { Logger } from '../logging/logger.ts';
import { openDatabase, type Database, type DatabaseOptions } from './open-database.ts';

/** Options that differ between the processes of a configuration. */
type ProcessOptions = Pick<DatabaseOptions, 'statementTimeoutMs' | 'plansOnce' | 'entities' | 'onAnnounced'>;

/** Opens the configured database for an API or worker process, which logs its warnings; see `openDatabase`. */
export function openProcessDatabase(
  configuration: ServerConfiguration,
  logger: Logger,
  options: ProcessOptions,
): Database {
  const repeating = limitRepeats(logger);
  return openDatabase({
    ...options,
    url: configuration.databaseUrl,
    poolSize: configuration.databasePoolSize,
    statementNames: configuration.databaseStatementNames,
    onWarning: (reason) => repeating.debug({ reason }, 'database warning'),
    onRefused: (reason) => repeating.error({ reason }, 'database refuses connections'),
    onUnreachable: (reason) => repeating.warn({ reason }, 'database connection failed'),
    onMissingSettings: ({ missing, remedy }) =>
      logger.warn({ missing, remedy }, 'database role lacks settings'),
  });
}
