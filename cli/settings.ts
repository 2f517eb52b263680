import { ConfigurationError, readConfiguration } from '../platform/config/read-configuration.ts';
import type { DeletionJournal } from '../domain/deletion/journal/deletion-journal.ts';
import { openJournal } from '../domain/deletion/journal/open-journal.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import { StartFailure } from '../local/start-failure.ts';
import type { LocalStart } from './local-start.ts';

/** The environment of a command, completed from a local `npm start`. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly local: LocalStart;
}

/** Returns the URL of the database. Throws when it is not set and no local `npm start` has one. */
export function databaseUrlOf({ environment, local }: Surroundings): string {
  const { databaseUrl } = readConfiguration(environment, 'cli');
  if (databaseUrl !== undefined) return databaseUrl;
  if (local.state === 'stopped') throw new StartFailure(notRunning(local));
  throw new ConfigurationError([
    `DATABASE_URL is not set, and npm start has no data folder at ${local.dataDirectory}: ` +
      'run npm start, set STEWARD_DATA_DIR to the folder that it uses, or set DATABASE_URL.',
  ]);
}

/** The error message for a stopped local `npm start`. */
export function notRunning({ dataDirectory }: LocalStart): string {
  return `PostgreSQL of npm start is not running (data folder ${dataDirectory}): run npm start, or set DATABASE_URL.`;
}

/** The error message for a missing `STEWARD_API_URL`. `needed` are the settings of a call. */
export const withoutApi = ({ state, dataDirectory }: LocalStart, needed: string): string =>
  state === 'running'
    ? 'STEWARD_API_URL is not set, and DATABASE_URL names another database than that of npm start ' +
      `(data folder ${dataDirectory}). Unset DATABASE_URL, or set ${needed}.`
    : `STEWARD_API_URL is not set, and no npm start is running on the data folder ${dataDirectory}. ` +
      `Run npm start, or set ${needed}.`;

/** The keys for encryption at rest; throws when they are not set. */
export function keyRingOf({ environment, local }: Surroundings): KeyRing {
  const { encryptionKeys } = readConfiguration(environment, 'cli');
  if (encryptionKeys.length > 0) return new KeyRing(encryptionKeys);
  throw new ConfigurationError([
    local.keysGiven
      ? 'STEWARD_ENCRYPTION_KEYS is not set; npm start used the value of its environment, so set the same value here.'
      : 'STEWARD_ENCRYPTION_KEYS is not set: set the value that API and worker have.',
  ]);
}

/** The deletion journal; throws when it is not configured. */
export function journalOf(surroundings: Surroundings): DeletionJournal {
  const { deletionJournal } = readConfiguration(surroundings.environment, 'cli');
  const journal = openJournal(deletionJournal.folder, keyRingOf(surroundings));
  if (journal !== undefined) return journal;
  throw new ConfigurationError([
    'STEWARD_DELETION_JOURNAL is not set; it must be the folder of the deletion journal.',
  ]);
}
