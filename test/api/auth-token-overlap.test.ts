import { afterAll, describe, expect, it } from '@jest/globals';
import { deleteExpiredTokens } from '../../domain/maintenance/delete-expired.ts';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { calledThrough, aTenant, type TestTenant } from '../support/factories.ts';
import { explain, statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

const resetPath = '/v2/workspace/authtoken/reset';
const get = '/v2/organizations/get';

const reset = async (tenant: TestTenant, options: object = {}): Promise<string> => {
  const { data } = await tenant.workspace.ok<{ newAuthToken: { token: string } }>(resetPath, {
    apiKey: tenant.apiKey,
    ...options,
  });
  expect(Object.keys(data.newAuthToken)).toEqual(['token', 'name', 'domains']);
  return data.newAuthToken.token;
};

interface Listed {
  readonly token: string;
  readonly expiresAt?: number;
}
const listed = async (tenant: TestTenant): Promise<Listed[]> => {
  const path = '/v2/workspace/authtokens/get';
  return (await tenant.workspace.ok<{ authTokens: Listed[] }>(path, { apiKey: tenant.apiKey })).data
    .authTokens;
};
const tokensOf = async (tenant: TestTenant): Promise<string[]> =>
  (await listed(tenant)).map(({ token }) => token);

const statusWith = async (tenant: TestTenant, token: string): Promise<number> =>
  (await tenant.with({ 'x-svc-auth-token': token }).call(get, {})).status;

/** Moves the expiry of the former tokens of a key back by seconds. */
const pass = async (tenant: TestTenant, seconds: number): Promise<void> => {
  await api.database.sql(
    `update auth_token set expires_at = expires_at - $2 * interval '1 second' where api_key_id = $1`,
    [tenant.id, seconds],
  );
};

describe('a reset with overlapSeconds', () => {
  it('keeps the former token valid until then, on every API process, and refuses it after', async () => {
    const tenant = await aTenant(api);
    const second = await startTestApi({ database: api.database });
    try {
      const before = Date.now();
      const token = await reset(tenant, { overlapSeconds: 3_600 });
      for (const caller of [tenant, calledThrough(second, tenant)])
        expect([await statusWith(caller, tenant.authToken), await statusWith(caller, token)]).toEqual([
          200, 200,
        ]);
      const [current, former] = await listed(tenant);
      expect(current).toEqual({ token, name: 'Default Auth Token', domains: [] });
      expect(former).toMatchObject({ token: tenant.authToken });
      // Test and database share one clock. The minute covers the calls in between.
      expect(Math.abs((former?.expiresAt ?? 0) - before - 3_600_000)).toBeLessThan(60_000);
      await pass(tenant, 3_600);
      for (const caller of [tenant, calledThrough(second, tenant)])
        expect([await statusWith(caller, tenant.authToken), await statusWith(caller, token)]).toEqual([
          403, 200,
        ]);
      expect(await tokensOf(tenant)).toEqual([token]);
    } finally {
      await second.close();
    }
  });

  it('never prolongs a token that already expires, and shortens one that expires later', async () => {
    const tenant = await aTenant(api);
    const second = await reset(tenant, { overlapSeconds: 100 });
    const third = await reset(tenant, { overlapSeconds: 86_400 });
    expect(await tokensOf(tenant)).toEqual([third, second, tenant.authToken]);
    await pass(tenant, 100);
    expect([await statusWith(tenant, tenant.authToken), await statusWith(tenant, second)]).toEqual([
      403, 200,
    ]);
    await reset(tenant, { overlapSeconds: 10 });
    await pass(tenant, 10);
    expect([await statusWith(tenant, second), await statusWith(tenant, third)]).toEqual([403, 403]);
  });

  it.each([{}, { overlapSeconds: 0 }])('of 0 or none ends all former tokens at once: %j', async (options) => {
    const tenant = await aTenant(api);
    const second = await reset(tenant, { overlapSeconds: 86_400 });
    const third = await reset(tenant, options);
    for (const former of [tenant.authToken, second]) expect(await statusWith(tenant, former)).toBe(403);
    expect(await tokensOf(tenant)).toEqual([third]);
  });

  it.each([-1, 1.5, 86_401, '60', null])('of %j is refused', async (overlapSeconds) => {
    const tenant = await aTenant(api);
    const refusal = await tenant.workspace.refused(resetPath, { apiKey: tenant.apiKey, overlapSeconds });
    expect([refusal.http, Object.keys(issuesOf(refusal))]).toEqual([400, ['data.overlapSeconds']]);
    expect(await tokensOf(tenant)).toEqual([tenant.authToken]);
  });

  it('leaves one current token under concurrent calls', async () => {
    const tenant = await aTenant(api);
    await Promise.all(Array.from({ length: 5 }, () => reset(tenant, { overlapSeconds: 60 })));
    const tokens = await listed(tenant);
    expect(tokens).toHaveLength(6);
    expect(tokens.filter(({ expiresAt }) => expiresAt === undefined)).toHaveLength(1);
  });

  it('is refused beyond 100 valid tokens, which a reset without overlap ends', async () => {
    const tenant = await aTenant(api);
    await api.database.sql(
      `insert into auth_token (token_hash, api_key_id, token_enc, name, expires_at)
       select sha256(convert_to($1::text || n, 'UTF8')), $1::bigint, '', 'former', now() + interval '1 hour' from generate_series(1, 99) n`,
      [tenant.id],
    );
    const refusal = await tenant.workspace.refused(resetPath, { apiKey: tenant.apiKey, overlapSeconds: 1 });
    expect([refusal.http, refusal.status, refusal.message]).toEqual([
      400,
      'FAILED_PRECONDITION',
      'An API key has at most 100 auth tokens at once. Reset with overlapSeconds 0 to end all former ones.',
    ]);
    expect(await statusWith(tenant, tenant.authToken)).toBe(200);
    const token = await reset(tenant);
    expect(await tokensOf(tenant)).toEqual([token]);
  });
});

describe('expired auth tokens', () => {
  it('are deleted by maintenance, with an index; valid ones stay', async () => {
    const tenant = await aTenant(api);
    await reset(tenant, { overlapSeconds: 3_600 });
    await pass(tenant, 3_600);
    const valid = await reset(tenant, { overlapSeconds: 3_600 });
    await pass(tenant, 1_800);
    const sent = await statementsOf(async () => deleteExpiredTokens(api.orm.em.fork()));
    const tokens = await api.database.sql('select 1 from auth_token where api_key_id = $1', [tenant.id]);
    expect(tokens).toHaveLength(2);
    expect(await tokensOf(tenant)).toHaveLength(2);
    expect(await statusWith(tenant, valid)).toBe(200);
    for (const statement of sent) expect((await explain(api.database, statement)).wholeTables).toEqual([]);
  });
});
