import { afterAll, describe, expect, it } from '@jest/globals';
import { tokenScopeOf } from '../../api/http/caller/token-scope.ts';
import { deleteExpiredTokens } from '../../domain/maintenance/delete-expired.ts';
import { tokenScopes } from '../../domain/tenancy/token-scopes.ts';
import { startTestApi } from '../support/api.ts';
import { issuesOf, type TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  aScopedToken,
  calledThrough,
  aTenant,
  type TestTenant,
  type TestToken,
} from '../support/factories.ts';
import { waitsForLock } from '../support/lock-waits.ts';
import { explain, statementsOf } from '../support/statements.ts';
import { operations } from '../support/operations.ts';

const api = await startTestApi();
afterAll(api.close);

const at = '/v2/workspace/authtokens';
const get = '/v2/organizations/get';
const hourMs = 3_600_000;

interface Listed {
  readonly authTokenId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}
const listed = async ({ workspace, apiKey }: TestTenant): Promise<Listed[]> =>
  (await workspace.ok<{ authTokens: Listed[] }>(`${at}/list`, { apiKey })).data.authTokens;

const withToken = (tenant: TestTenant, { token }: TestToken, headers = {}): TestClient =>
  tenant.with({ 'x-svc-auth-token': token, ...headers });

const revoke = async ({ workspace, apiKey }: TestTenant, { authTokenId }: TestToken) =>
  workspace.ok(`${at}/revoke`, { apiKey, authTokenId });

/** Sets the end of a token to `seconds` ago. */
const end = async ({ authTokenId }: TestToken, seconds: number): Promise<void> => {
  await api.database.sql(
    `update auth_token set expires_at = now() - $2 * interval '1 second' where public_id = $1`,
    [authTokenId, seconds],
  );
};

describe('a scoped auth token of a key that is being deleted', () => {
  it('is not issued', async () => {
    const tenant = await aTenant(api);
    const deleting = await api.database.connect();
    await deleting.query('begin');
    await deleting.query('update api_key set deleted_at = now() where id = $1', [tenant.id]);
    const sent = { apiKey: tenant.apiKey, name: 'late', scopes: ['documents:read'] };
    const adding = tenant.workspace.refused(`${at}/add`, sent);
    expect(await waitsForLock(api.database, adding)).toBe(true);
    await deleting.query('commit');
    expect(await adding).toMatchObject({ status: 'NOT_FOUND', message: 'API key not found.' });
  });
});

describe('a scoped auth token', () => {
  it('is returned only by the call that adds it, and stored only as a hash', async () => {
    const tenant = await aTenant(api);
    const { token, ...view } = await aScopedToken(tenant, [
      'documents:read',
      'users:write',
      'documents:read',
    ]);
    expect(token).toMatch(/^tok_[\w-]{32}$/);
    expect(view).toEqual({
      authTokenId: expect.stringMatching(/^atk_[\da-f]{32}$/),
      name: 'Nightly report',
      scopes: ['documents:read', 'users:write'],
      createdAt: expect.any(Number),
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(await listed(tenant)).toEqual([view]);
    const { text } = await tenant.workspace.call('/v2/workspace/authtokens/get', { apiKey: tenant.apiKey });
    expect(text).not.toContain(token);
    expect(text).toContain(tenant.authToken);
    const rows = await api.database.sql<{ token_enc: unknown }>(
      'select token_enc from auth_token where public_id = $1',
      [view.authTokenId],
    );
    expect(rows).toEqual([{ token_enc: null }]);
  });

  it('is rejected in every process once it is revoked, and revoking it again changes nothing', async () => {
    const tenant = await aTenant(api);
    const added = await aScopedToken(tenant, ['organizations:read']);
    const second = await startTestApi({ database: api.database });
    try {
      const clients = [withToken(tenant, added), withToken(calledThrough(second, tenant), added)];
      const statuses = async () =>
        Promise.all(clients.map(async (client) => (await client.call(get, {})).status));
      expect(await statuses()).toEqual([200, 200]);
      const revoked = await revoke(tenant, added);
      expect(await statuses()).toEqual([403, 403]);
      expect((await revoke(tenant, added)).data).toEqual(revoked.data);
      const [shown] = await listed(tenant);
      expect(shown?.expiresAt).toBeLessThanOrEqual(Date.now());
    } finally {
      await second.close();
    }
  });

  it('cannot be revoked through another key, and revocation refuses a token without scopes', async () => {
    const [tenant, other] = [await aTenant(api), await aTenant(api)];
    const { authTokenId } = await aScopedToken(tenant, ['organizations:read']);
    const [first] = await api.database.sql<{ public_id: string }>(
      'select public_id from auth_token where api_key_id = $1 and scopes is null',
      [tenant.id],
    );
    for (const [owner, id] of [
      [other, authTokenId],
      [tenant, first?.public_id],
      [tenant, 'atk_unknown'],
    ] as const) {
      const { workspace, apiKey } = owner;
      const refusal = await workspace.refused(`${at}/revoke`, { apiKey, authTokenId: id });
      expect([refusal.http, refusal.message]).toEqual([404, 'Auth token not found.']);
    }
    const { apiKey } = tenant;
    for (const [verb, data] of [
      ['add', { apiKey, name: 'x', scopes: ['jobs:read'] }],
      ['list', { apiKey }],
      ['revoke', { apiKey, authTokenId }],
    ] as const) {
      const refusal = await other.workspace.refused(`${at}/${verb}`, data);
      expect([refusal.http, refusal.message]).toEqual([404, 'API key not found.']);
    }
  });

  it('is rejected from its expiry on', async () => {
    const tenant = await aTenant(api);
    const expiresAt = Date.now() + hourMs;
    const added = await aScopedToken(tenant, ['organizations:read'], { expiresAt });
    expect((await listed(tenant))[0]?.expiresAt).toBe(expiresAt);
    expect((await withToken(tenant, added).call(get, {})).status).toBe(200);
    await end(added, 0);
    expect((await withToken(tenant, added).refused(get, {})).message).toBe('Invalid API key.');
  });

  it('survives a reset of the token without scopes', async () => {
    const tenant = await aTenant(api);
    const added = await aScopedToken(tenant, ['organizations:read']);
    for (const overlapSeconds of [0, 60]) {
      const { apiKey } = tenant;
      await tenant.workspace.ok('/v2/workspace/authtoken/reset', { apiKey, overlapSeconds });
      expect((await withToken(tenant, added).call(get, {})).status).toBe(200);
    }
    expect(await listed(tenant)).toMatchObject([{ expiresAt: null }]);
  });

  it('may name every scope, also with duplicates, which count once', async () => {
    const tenant = await aTenant(api);
    const scopes = [...tokenScopes, ...tokenScopes];
    await tenant.workspace.ok(`${at}/add`, { apiKey: tenant.apiKey, name: 'x', scopes });
    expect((await listed(tenant))[0]?.scopes).toHaveLength(tokenScopes.length);
  });

  it.each([
    ['scopes', { scopes: [] }],
    ['scopes[0]', { scopes: ['documents:admin'] }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['expiresAt', { expiresAt: 1 }],
    ['expiresAt', { expiresAt: null }],
  ])('is refused with an issue for %s: %j', async (member, others) => {
    const tenant = await aTenant(api);
    const data = { apiKey: tenant.apiKey, name: 'x', scopes: ['jobs:read'], ...others };
    const refusal = await tenant.workspace.refused(`${at}/add`, data);
    expect([refusal.http, Object.keys(issuesOf(refusal))]).toEqual([400, [`data.${member}`]]);
    expect(await listed(tenant)).toEqual([]);
  });
});

describe('the scoped auth tokens of a key', () => {
  it('are at most 20, not counting ended ones, also when they are added concurrently', async () => {
    const tenant = await aTenant(api);
    const { apiKey } = tenant;
    const data = { apiKey, name: 'x', scopes: ['jobs:read'] };
    const responses = await Promise.all(
      Array.from({ length: 25 }, async () => tenant.workspace.call(`${at}/add`, data)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    const refusal = await tenant.workspace.refused(`${at}/add`, data);
    expect([refusal.http, refusal.status, refusal.message]).toEqual([
      400,
      'FAILED_PRECONDITION',
      'An API key has at most 20 valid scoped auth tokens. Revoke one with POST /v2/workspace/authtokens/revoke.',
    ]);
    const [one] = await listed(tenant);
    await tenant.workspace.ok(`${at}/revoke`, { apiKey, authTokenId: one?.authTokenId });
    await tenant.workspace.ok(`${at}/add`, data);
    expect(await listed(tenant)).toHaveLength(21);
  });

  it('include at most 80 ended ones, which maintenance deletes a day after their end', async () => {
    const tenant = await aTenant(api);
    await api.database.sql(
      `insert into auth_token (token_hash, api_key_id, name, scopes, created_at, expires_at)
       select sha256(convert_to($1::text || n, 'UTF8')), $1::bigint, 'former', '{jobs:read}', now() - (n + 1) * interval '1 hour',
         now() - n * interval '1 hour'
       from generate_series(0, 99) n`,
      [tenant.id],
    );
    await aScopedToken(tenant, ['jobs:read']);
    expect(await listed(tenant)).toHaveLength(81);
    await deleteExpiredTokens(api.orm.em.fork());
    // The tokens that ended 0 to 23 hours ago, and the valid one.
    expect(await listed(tenant)).toHaveLength(25);
  });
});

describe('the last use of a scoped auth token', () => {
  const lastUses = async (tenant: TestTenant) =>
    (await listed(tenant)).map(({ lastUsedAt }) => Date.now() - (lastUsedAt ?? 0));

  it('is recorded by hour, in one statement for all tokens of an interval', async () => {
    const tenant = await aTenant(api);
    const added = await Promise.all([1, 2, 3].map(async () => aScopedToken(tenant, ['organizations:read'])));
    /** The updates of a process that serves each token twice and stops, which ends its interval. */
    const updates = async () => {
      const second = await startTestApi({ database: api.database });
      const caller = calledThrough(second, tenant);
      const sent = await statementsOf(
        async () => {
          for (const token of [...added, ...added]) await withToken(caller, token).ok(get, {});
          await second.close();
        },
        { withTokenUses: true },
      );
      return sent.filter(({ text }) => text.startsWith('update auth_token'));
    };
    const sent = await updates();
    // Two statements when an interval ends between the uses.
    expect([1, 2]).toContain(sent.length);
    for (const statement of sent) expect((await explain(api.database, statement)).wholeTables).toEqual([]);
    for (const age of await lastUses(tenant)) expect(age).toBeLessThan(2 * hourMs);
    // A use whose statement failed, as on an overloaded machine, is recorded by the next one.
    await eventually(async () => expect((await updates()).map(({ text }) => text)).toEqual([]));
  });

  it('is not recorded for a token without scopes', async () => {
    const tenant = await aTenant(api);
    await tenant.ok(get, {});
    const rows = await api.database.sql<{ last_used_at: unknown }>(
      'select last_used_at from auth_token where api_key_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([{ last_used_at: null }]);
  });

  it('is recorded again in a later hour, and when the process stops', async () => {
    const tenant = await aTenant(api);
    const added = await aScopedToken(tenant, ['organizations:read']);
    await api.database.sql(
      `update auth_token set last_used_at = now() - interval '3 hours' where public_id = $1`,
      [added.authTokenId],
    );
    const second = await startTestApi({ database: api.database });
    await withToken(calledThrough(second, tenant), added).ok(get, {});
    await second.close();
    expect((await lastUses(tenant))[0]).toBeLessThan(2 * hourMs);
  });
});

/* Generated from the registry: an operation is covered from the moment it is registered. */
describe('every operation of an API key', () => {
  const covered = operations.filter(({ endpoint }) => endpoint.credentials === 'apiKey');
  const used = new Set(covered.map(({ endpoint }) => tokenScopeOf(endpoint)));

  /** The refusal of a request that passes the credentials. It has no further effect. */
  const passed = [400, 'Request body must be valid JSON.'];
  const sent = async (client: TestClient, path: string) => {
    const { status, body } = await client.call(path, undefined, { raw: '{' });
    return [status, body.error?.message];
  };

  it('has one scope, and every scope has an operation', () => {
    expect([...used].sort()).toEqual([...tokenScopes].sort());
    for (const { endpoint, path } of covered)
      expect([path, tokenScopeOf({ ...endpoint, paths: [path] })]).toEqual([path, tokenScopeOf(endpoint)]);
  });

  it.each([...used])('requires its scope: %s', async (scope) => {
    const tenant = await aTenant(api, { allowedDomains: ['app.example.com'] });
    const only = await aScopedToken(tenant, [scope]);
    const others = await aScopedToken(
      tenant,
      tokenScopes.filter((other) => other !== scope),
    );
    const ended = await aScopedToken(tenant, [scope]);
    await end(ended, 1);
    const allowed = { origin: 'https://app.example.com' };
    const foreign = { origin: 'https://evil.example.net' };
    for (const { path } of covered.filter(({ endpoint }) => tokenScopeOf(endpoint) === scope)) {
      for (const client of [withToken(tenant, only), withToken(tenant, only, allowed)])
        expect([path, ...(await sent(client, path))]).toEqual([path, ...passed]);
      expect([path, ...(await sent(withToken(tenant, others), path))]).toEqual([
        path,
        403,
        `This operation needs an auth token with the scope ${scope}.`,
      ]);
      expect([path, ...(await sent(withToken(tenant, ended), path))]).toEqual([
        path,
        403,
        'Invalid API key.',
      ]);
      for (const client of [withToken(tenant, only, foreign), tenant.with(foreign)])
        expect([path, ...(await sent(client, path))]).toEqual([path, 403, 'Origin is not allowed.']);
    }
  });
});
