import { directUrl, statementNames } from './pooler.ts';

/** A port on which no server listens. */
export const temporalAway = '127.0.0.1:1';

export const operatorToken = 'operator-token-of-the-tests';

const encryptionKey = `tests:${Buffer.alloc(32, 'k').toString('base64')}`;

/** Returns the environment of an API or a worker of the tests. `others` override. Temporal is unavailable unless they name one. */
export function serverEnvironment(
  databaseUrl: string,
  others: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: directUrl(databaseUrl),
    DATABASE_STATEMENT_NAMES: statementNames ? 'on' : 'off',
    DATABASE_POOL_SIZE: '5',
    TEMPORAL_ADDRESS: temporalAway,
    STEWARD_OPERATOR_TOKEN: operatorToken,
    STEWARD_ENCRYPTION_KEYS: encryptionKey,
    STEWARD_RATE_LIMIT: '0',
    STEWARD_FAILED_CREDENTIALS_LIMIT: '0',
    STEWARD_DRAIN_DELAY: '0s',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
    ...others,
  };
}
