import { afterAll, describe, expect, it } from '@jest/globals';
import { classifyDatabaseError, isRefusedConnection } from '../../../platform/database/failures.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { startTestApi, type LogLine } from '../../support/api.ts';
import { aClient } from '../../support/client.ts';
import { aDatabase } from '../../support/database.ts';
import { lookupRow, row } from '../../support/raw-sql.ts';

const database = await aDatabase();
afterAll(database.drop);

/** The URL of the database, without the pooler of TEST_POOLER, whose refusals differ. */
function urlWith(part: 'password' | 'username' | 'pathname', value: string): string {
  const url = new URL(database.directUrl);
  url[part] = value;
  return url.href;
}

describe('a connection that PostgreSQL refuses', () => {
  it.each([
    ['password', 'changed', /^password authentication failed for user /],
    ['username', 'nobody', /^password authentication failed for user "nobody"$/],
    ['pathname', '/absent', /^database "absent" does not exist$/],
  ] as const)('for its %s fails each statement as unavailable', async (part, value, message) => {
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
      expect([classifyDatabaseError(reason), isRefusedConnection(reason)]).toEqual(['unavailable', true]);
    }
    await opened.close();
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatch(message);
  });

  it('fails calls with 503, and is logged with its reason, at first once', async () => {
    const api = await startTestApi({ database, databaseUrl: urlWith('password', 'changed') });
    try {
      const client = aClient(api.url, { 'x-svc-api-key': 'key', 'x-svc-auth-token': 'token' });
      for (let call = 0; call < 3; call += 1)
        expect(await client.refused('/v2/organizations/get')).toMatchObject({
          http: 503,
          status: 'UNAVAILABLE',
        });
      const lines = api.log.map((line) => JSON.parse(line) as LogLine);
      const found = lines.filter(
        (line) => line['msg'] === 'database refuses connections' && line['repeated'] === undefined,
      );
      expect(found).toEqual([
        expect.objectContaining({
          level: 'error',
          reason: expect.stringMatching(/^password authentication/),
        }),
      ]);
      expect(lines.filter((line) => line['msg'] === 'unexpected error')).toEqual([]);
    } finally {
      await api.close();
    }
  });
});
