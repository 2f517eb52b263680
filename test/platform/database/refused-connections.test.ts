import { afterAll, describe, expect, it } from '@jest/globals';
import {
  classifyDatabaseError,
  isRefusedConnection,
  openingFailure,
} from '../../../platform/database/failures.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { startTestApi, type LogLine } from '../../support/api.ts';
import { aClient } from '../../support/client.ts';
import { aDatabase } from '../../support/database.ts';
import { lookupRow, row } from '../../support/raw-sql.ts';

const database = await aDatabase();
afterAll(database.drop);

/** The URL of the database, without the pooler of TEST_POOLER, whose refusals differ. */
function urlWith(part: 'password' | 'username' | 'pathname' | 'search' | 'host', value: string): string {
  const url = new URL(database.directUrl);
  url[part] = value;
  return url.href;
}

describe('a connection that cannot be opened', () => {
  it.each([
    ['password', 'changed', true, /^password authentication failed for user /],
    ['username', 'nobody', true, /^password authentication failed for user "nobody"$/],
    ['pathname', '/absent', true, /^database "absent" does not exist$/],
    ['password', '', false, /^SASL: .* client password must be /],
    ['search', '?sslmode=verify-full', false, /^The server does not support SSL connections$/],
  ] as const)('for its %s %j fails each statement as unavailable', async (part, value, byServer, message) => {
    const refused: string[] = [];
    const opened = openDatabase({
      url: urlWith(part, value),
      poolSize: 2,
      statementTimeoutMs: 60_000,
      plansOnce: false,
      entities: [],
      onRefused: (reason) => void refused.push(reason),
    });
    const em = opened.orm.em.fork();
    const failures = await Promise.allSettled([
      row(em, 'select 1'),
      lookupRow(em, 'select $1::int as one', [1]),
      opened.pendingMigrations(),
    ]);
    for (const failure of failures) {
      const { reason } = failure as PromiseRejectedResult;
      expect([classifyDatabaseError(reason), isRefusedConnection(reason)]).toEqual(['unavailable', byServer]);
    }
    await opened.close();
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatch(message);
  });

  it.each([
    ['password', 'changed', 'error', 'database refuses connections', /^password authentication/],
    ['search', '?sslmode=verify-full', 'error', 'database refuses connections', /does not support SSL/],
    ['host', '127.0.0.1:1', 'warn', 'database connection failed', /^connect ECONNREFUSED 127\.0\.0\.1:1$/],
  ] as const)(
    'for its %s %j fails calls with 503, and is logged with its reason, at first once',
    async (part, value, level, event, reason) => {
      const api = await startTestApi({ database, databaseUrl: urlWith(part, value) });
      try {
        const client = aClient(api.url, { 'x-svc-api-key': 'key', 'x-svc-auth-token': 'token' });
        for (let call = 0; call < 3; call += 1)
          expect(await client.refused('/v2/organizations/get')).toMatchObject({
            http: 503,
            status: 'UNAVAILABLE',
          });
        const lines = api.log.map((line) => JSON.parse(line) as LogLine);
        const found = lines.filter((line) => line['msg'] === event && line['repeated'] === undefined);
        expect(found).toEqual([expect.objectContaining({ level, reason: expect.stringMatching(reason) })]);
        expect(lines.filter((line) => line['msg'] === 'unexpected error')).toEqual([]);
      } finally {
        await api.close();
      }
    },
  );
});

describe('a connection that this machine cannot open', () => {
  it.each(['EMFILE', 'ENFILE', 'EAI_FAIL'])('because of %s is unavailable, not refused', (code) => {
    const error = Object.assign(new Error('failed'), { code });
    expect(classifyDatabaseError(error)).toBe('unavailable');
    expect(openingFailure(error)).toBe(error);
  });
});

describe('a TLS connection that breaks', () => {
  it.each(['EPROTO', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'])('with %s is unavailable', (code) => {
    expect(classifyDatabaseError(Object.assign(new Error('broken'), { code }))).toBe('unavailable');
  });
});
