import { randomBytes } from 'node:crypto';

/** A new key of the encryption at rest, as STEWARD_ENCRYPTION_KEYS wants it. */
export function newEncryptionKey(id = 'k1'): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

/** A new token or password: 43 letters and digits, safe in a URL and in a shell. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The `.env` that docker-compose.yml needs: every secret of an installation, new. Losing STEWARD_ENCRYPTION_KEYS loses
 * what is encrypted at rest.
 */
export function generateEnvironment(): string {
  return [
    '# Secrets of this installation, made by: npm run --silent cli -- environment > .env',
    '# Keep a copy of STEWARD_ENCRYPTION_KEYS: without it, what is encrypted at rest is lost.',
    `POSTGRES_PASSWORD=${newSecret()}`,
    `STEWARD_DATABASE_PASSWORD=${newSecret()}`,
    `TEMPORAL_DATABASE_PASSWORD=${newSecret()}`,
    `STEWARD_OPERATOR_TOKEN=${newSecret()}`,
    `STEWARD_ENCRYPTION_KEYS=${newEncryptionKey()}`,
    '',
  ].join('\n');
}
