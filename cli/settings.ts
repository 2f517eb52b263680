import { ConfigurationError, readConfiguration } from '../platform/config/configuration.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';

/** The database that a command works on; throws when it is not named. */
export function databaseUrlOf(environment: NodeJS.ProcessEnv): string {
  const { databaseUrl } = readConfiguration(environment, 'cli');
  if (databaseUrl === undefined) {
    throw new ConfigurationError([
      'DATABASE_URL is not set; npm start shows that of its own database in demo.json.',
    ]);
  }
  return databaseUrl;
}

/** The keys that secrets at rest are sealed with; throws when there are none. */
export function keyRingOf(environment: NodeJS.ProcessEnv): KeyRing {
  const { encryptionKeys } = readConfiguration(environment, 'cli');
  if (encryptionKeys.length === 0) {
    throw new ConfigurationError(['STEWARD_ENCRYPTION_KEYS is not set; secrets at rest are sealed with it.']);
  }
  return new KeyRing(encryptionKeys);
}
