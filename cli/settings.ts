import { ConfigurationError, readConfiguration } from '../platform/config/configuration.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import { StartFailure } from '../local/start-failure.ts';
import type { LocalStart } from './local-start.ts';

/** What a command works with: the environment, completed by what a local `npm start` keeps. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly local: LocalStart;
}

/** The database that a command works on; throws when it is not named and no `npm start` has one here. */
export function databaseUrlOf({ environment, local }: Surroundings): string {
  const { databaseUrl } = readConfiguration(environment, 'cli');
  if (databaseUrl !== undefined) return databaseUrl;
  if (local.state === 'stopped') throw new StartFailure(notRunning(local));
  throw new ConfigurationError([
    `DATABASE_URL is not set, and npm start has made no data folder at ${local.dataDirectory}: ` +
      'run npm start, set STEWARD_DATA_DIR to the folder that it uses, or set DATABASE_URL.',
  ]);
}

/** Why the database of a local `npm start` cannot be used, and what to do. */
export function notRunning({ dataDirectory }: LocalStart): string {
  return `PostgreSQL of npm start is not running (data folder ${dataDirectory}): run npm start, or set DATABASE_URL.`;
}

/** The keys that secrets at rest are sealed with; throws when there are none. */
export function keyRingOf({ environment, local }: Surroundings): KeyRing {
  const { encryptionKeys } = readConfiguration(environment, 'cli');
  if (encryptionKeys.length > 0) return new KeyRing(encryptionKeys);
  throw new ConfigurationError([
    local.keysGiven
      ? 'STEWARD_ENCRYPTION_KEYS is not set; npm start took it from its environment, so set the same here.'
      : 'STEWARD_ENCRYPTION_KEYS is not set; secrets at rest are sealed with it.',
  ]);
}
