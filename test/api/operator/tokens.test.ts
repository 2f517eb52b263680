import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { deleteEndedOperatorTokens } from '../../../domain/maintenance/delete-expired.ts';
import { operatorScopes } from '../../../domain/tenancy/operator-scopes.ts';
import { startTestApi } from '../../support/api.ts';
import { aClient, type TestClient } from '../../support/client.ts';
import { aDatabase } from '../../support/database.ts';
import { anOperator, anOperatorToken } from '../../support/factories.ts';
import { inOneHour } from '../../support/one-period.ts';
import { statementsOf } from '../../support/statements.ts';

const database = await aDatabase();
const [{ name } = { name: '' }] = await database.sql<{ name: string }>('select current_database() as name');
// Its hours begin in the middle of those of UTC.
await database.sql(`alter database ${name} set timezone = 'Asia/Kolkata'`);
const api = await startTestApi({ database });
afterAll(async () => {
  await api.close();
  await database.drop();
});

const operator = anOperator(api);
const hour = 3_600_000;
const add = '/v2/operator/tokens/add';
const list = '/v2/operator/tokens/list';
const revoke = '/v2/operator/tokens/revoke';

interface Listed {
  readonly tokenId: string;
  readonly lastUsedAt: number | null;
}

const withToken = (token: string, url = api.url): TestClient =>
  aClient(url, { 'x-svc-operator-token': token });

const listed = async (tokenId: string): Promise<Listed | undefined> =>
  (await operator.ok<Listed[]>(list, {})).data.find((token) => token.tokenId === tokenId);

const refusalOf = async (client: TestClient): Promise<unknown> => {
  const { http, status, message } = await client.refused(list, {});
  return [http, status, message];
};
const invalid = [403, 'PERMISSION_DENIED', 'Invalid operator token.'];

describe('an operator token', () => {
  it('is returned once, and stored as a hash only', async () => {
    const expiresAt = Date.now() + hour;
    const { data } = await operator.ok<{ token: string }>(add, {
      name: 'Ada',
      scope: 'admin',
      expiresAt,
    });
    expect(data).toEqual({
      tokenId: expect.stringMatching(/^optk_[\w-]{32}$/),
      token: expect.stringMatching(/^opt_[\w-]{32}$/),
      name: 'Ada',
      scope: 'admin',
      actsForKeys: false,
      createdAt: expect.any(Number),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(JSON.stringify((await operator.ok(list, {})).data)).not.toContain(data.token);
    const rows = await api.database.sql<{ line: string }>('select t::text as line from operator_token t');
    expect(rows.map(({ line }) => line).join('\n')).not.toContain(data.token);
  });

  it('allows the operations of its scope and of smaller ones, for every operation of operators', async () => {
    for (const [granted, scope] of operatorScopes.entries()) {
      const client = withToken((await anOperatorToken(operator, { scope })).token);
      for (const { paths, credentials, operatorScope = 'admin' } of endpoints) {
        if (credentials !== 'operator') continue;
        const needed = operatorScopes.indexOf(operatorScope);
        const { status, body } = await client.call(paths[0], { unknownMember: 1 });
        if (needed <= granted) expect([paths[0], status]).toEqual([paths[0], 400]);
        else
          expect([paths[0], status, body.error?.message]).toEqual([
            paths[0],
            403,
            `This operation needs an operator token of scope ${operatorScope}. The scope of this token is ${scope}.`,
          ]);
      }
    }
  });

  it('is refused in every process after its revocation, whose time a second revocation keeps', async () => {
    const { tokenId, token } = await anOperatorToken(operator, { scope: 'admin' });
    const second = await startTestApi({ database: api.database });
    try {
      expect((await withToken(token, second.url).call(list, {})).status).toBe(200);
      const first = await operator.ok(revoke, { tokenId });
      for (const url of [api.url, second.url])
        expect(await refusalOf(withToken(token, url))).toEqual(invalid);
      expect((await operator.ok(revoke, { tokenId })).data).toEqual(first.data);
    } finally {
      await second.close();
    }
  });

  it('is refused after its expiry', async () => {
    const { tokenId, token } = await anOperatorToken(operator, {
      scope: 'admin',
      expiresAt: Date.now() + hour,
    });
    expect((await withToken(token).call(list, {})).status).toBe(200);
    await api.database.sql('update operator_token set expires_at = now() where public_id = $1', [tokenId]);
    expect(await refusalOf(withToken(token))).toEqual(invalid);
  });

  it('is checked by one statement, and its last use is written once per hour', async () => {
    await inOneHour(async () => {
      const { tokenId, token } = await anOperatorToken(operator, { scope: 'admin' });
      const use = async (): Promise<number> =>
        (await statementsOf(async () => withToken(token).ok(list, { pageSize: 1 }))).length;
      // The process reads the page token key once, with the first page that has a successor.
      await operator.ok(list, { pageSize: 1 });
      const first = await use();
      expect(await use()).toBe(first - 1);
      const { lastUsedAt } = (await listed(tokenId)) ?? {};
      expect((lastUsedAt ?? 1) % hour).toBe(0);
      await api.database.sql(
        `update operator_token set last_used_at = last_used_at - interval '1 hour' where public_id = $1`,
        [tokenId],
      );
      expect(await use()).toBe(first);
      expect((await listed(tokenId))?.lastUsedAt).toBeGreaterThanOrEqual(lastUsedAt ?? 0);
    });
  });

  it('has its own idempotency keys', async () => {
    const [one, other] = [
      withToken((await anOperatorToken(operator, { scope: 'admin' })).token),
      withToken((await anOperatorToken(operator, { scope: 'admin' })).token),
    ];
    const headers = { 'idempotency-key': 'create-1' };
    const create = async (client: TestClient, ownerEmail: string): Promise<unknown> =>
      (await client.call('/v2/workspace/create', { ownerEmail }, { headers })).headers['idempotent-replayed'];
    expect(await create(one, 'a@example.com')).toBeUndefined();
    expect(await create(one, 'a@example.com')).toBe('true');
    expect(await create(other, 'b@example.com')).toBeUndefined();
  });

  it('works on an API without STEWARD_OPERATOR_TOKEN', async () => {
    const { token } = await anOperatorToken(operator, { scope: 'admin' });
    const without = await startTestApi({
      database: api.database,
      environment: { STEWARD_OPERATOR_TOKEN: '' },
    });
    try {
      expect((await withToken(token, without.url).call(list, {})).status).toBe(200);
      expect(await refusalOf(anOperator(without))).toEqual(invalid);
    } finally {
      await without.close();
    }
  });
});

describe('operations on operator tokens', () => {
  it('refuse an expiry in the past and an unknown token', async () => {
    expect(await operator.refused(add, { name: 'Ada', scope: 'read', expiresAt: 1 })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: 'expiresAt must be in the future.',
    });
    expect(await operator.refused(revoke, { tokenId: 'optk_unknown' })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Operator token not found.',
    });
  });

  it('delete ended tokens after 90 days', async () => {
    const [revoked, expired, valid] = await Promise.all([1, 2, 3].map(() => anOperatorToken(operator)));
    const end = async (tokenId: string | undefined, column: string, days: number): Promise<void> => {
      await api.database.sql(
        `update operator_token set ${column} = now() - $2 * interval '1 day' where public_id = $1`,
        [tokenId, days],
      );
    };
    await end(revoked?.tokenId, 'revoked_at', 89);
    await end(expired?.tokenId, 'expires_at', 91);
    await deleteEndedOperatorTokens(api.orm.em.fork());
    expect(await listed(revoked?.tokenId ?? '')).toBeDefined();
    expect(await listed(expired?.tokenId ?? '')).toBeUndefined();
    expect(await listed(valid?.tokenId ?? '')).toBeDefined();
  });

  it('allow 100 valid tokens, also when they are added concurrently', async () => {
    await api.database.sql('delete from operator_token');
    await api.database.sql(
      `insert into operator_token (public_id, name, scope, token_hash, revoked_at, expires_at)
       select n::text, 'x', 'read', n::text::bytea, case when n > 110 then now() end,
         case when n between 101 and 110 then now() end from generate_series(3, 120) n`,
    );
    const sent = await Promise.all(
      Array.from({ length: 4 }, () => operator.call(add, { name: 'x', scope: 'read' })),
    );
    expect(sent.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 400, 400]);
    expect(sent.find(({ status }) => status === 400)?.body.error).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message:
        'There are at most 100 valid operator tokens. Revoke one with POST /v2/operator/tokens/revoke.',
    });
  });
});
