import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { startTestApi } from '../../support/api.ts';
import type { Response, TestClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, calledThrough, aStranger, aTenant } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);
const get = '/v2/organizations/get';
const list = '/v2/workspace/apikeys/get';
const create = '/v2/workspace/create';

const tenant = await aTenant(api);
const stranger = aStranger(api);

async function refusalOf(client: TestClient, path: string, headers: Record<string, string> = {}) {
  const { http, status, message, details } = await client.refused(path, {}, { headers });
  expect(details).toEqual({ requestId: expect.any(String) });
  return [http, status, message];
}

describe('credentials', () => {
  const denied = [403, 'PERMISSION_DENIED', 'Invalid API key.'];

  it('return UNAUTHENTICATED that names each missing header of an API key', async () => {
    expect(await refusalOf(stranger, get)).toEqual([401, 'UNAUTHENTICATED', 'API key not found in headers.']);
    expect(await refusalOf(stranger, get, { 'x-svc-auth-token': tenant.authToken })).toEqual([
      401,
      'UNAUTHENTICATED',
      'API key not found in headers.',
    ]);
    for (const token of [{}, { 'x-svc-auth-token': '' }]) {
      expect(
        await refusalOf(stranger, get, {
          'x-svc-api-key': tenant.apiKey,
          ...(token as Record<string, string>),
        }),
      ).toEqual([401, 'UNAUTHENTICATED', 'Auth Token not found in headers.']);
    }
  });

  it('fail with one message and equal work for an unknown key, a wrong token and a token of another key', async () => {
    const other = await aTenant(api);
    const pairs = [
      { 'x-svc-api-key': 'key_unknown', 'x-svc-auth-token': tenant.authToken },
      { 'x-svc-api-key': tenant.apiKey, 'x-svc-auth-token': 'tok_wrong' },
      { 'x-svc-api-key': tenant.apiKey, 'x-svc-auth-token': other.authToken },
      { 'x-svc-api-key': tenant.apiKey.toUpperCase(), 'x-svc-auth-token': tenant.authToken },
      { 'x-svc-api-key': tenant.authToken, 'x-svc-auth-token': tenant.apiKey },
    ];
    const work = new Set<string>();
    for (const headers of pairs) {
      const sent = await statementsOf(async () =>
        expect(await refusalOf(stranger, get, headers)).toEqual(denied),
      );
      work.add(sent.map(({ text }) => text).join('\n'));
    }
    expect(work.size).toBe(1);
  });

  it('fail with one message for an unknown workspace and a wrong token, and name a missing workspace header', async () => {
    const { workspaceId, authToken } = tenant.workspace;
    expect(await refusalOf(stranger, list)).toEqual([
      401,
      'UNAUTHENTICATED',
      'Workspace ID not found in headers.',
    ]);
    expect(await refusalOf(stranger, list, { 'x-svc-workspace-id': workspaceId })).toEqual([
      401,
      'UNAUTHENTICATED',
      'Auth Token not found in headers.',
    ]);
    const other = await aTenant(api);
    for (const [id, token] of [
      ['ws_unknown', authToken],
      [workspaceId, 'wst_wrong'],
      [workspaceId, other.workspace.authToken],
      [workspaceId, tenant.authToken],
    ] as const) {
      const headers = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': token };
      expect(await refusalOf(stranger, list, headers)).toEqual([
        403,
        'PERMISSION_DENIED',
        'Invalid workspace credentials.',
      ]);
    }
  });

  it('are rejected when the operator token is missing or wrong', async () => {
    expect(await refusalOf(stranger, create)).toEqual([
      401,
      'UNAUTHENTICATED',
      'Operator token not found in headers.',
    ]);
    expect(await refusalOf(stranger, create, { 'x-svc-operator-token': 'wrong' })).toEqual([
      403,
      'PERMISSION_DENIED',
      'Invalid operator token.',
    ]);
  });

  it('are required by every operation, and no kind replaces another', async () => {
    const keys = tenant.headers;
    const workspace = tenant.workspace.headers;
    const operator = anOperator(api).headers;
    for (const { paths, credentials } of endpoints) {
      for (const path of paths) {
        expect((await stranger.call(path, {})).status).toBe(401);
        const others = {
          ...(credentials !== 'apiKey' && keys),
          ...(credentials !== 'workspace' && workspace),
          ...(credentials !== 'operator' && operator),
        };
        expect((await stranger.call(path, {}, { headers: others })).status).toBe(401);
      }
    }
  });

  it('cost one statement, which also returns the tenant', async () => {
    const sent = await statementsOf(() => tenant.ok(get, { organizationIds: ['a'] }));
    expect(sent).toHaveLength(2);
  });
});

describe('an auth token reset', () => {
  it('takes effect immediately on every API process', async () => {
    const mine = await aTenant(api);
    const second = await startTestApi({ database: api.database });
    try {
      expect((await calledThrough(second, mine).call(get, {})).status).toBe(200);
      const { data } = await mine.workspace.ok<{ newAuthToken: { token: string } }>(
        '/v2/workspace/authtoken/reset',
        {
          apiKey: mine.apiKey,
        },
      );
      for (const caller of [mine, calledThrough(second, mine)]) {
        expect((await caller.call(get, {})).status).toBe(403);
        const renewed = caller.with({ 'x-svc-auth-token': data.newAuthToken.token });
        expect((await renewed.call(get, {})).status).toBe(200);
      }
    } finally {
      await second.close();
    }
  });

  it('leaves exactly one token when two run concurrently', async () => {
    const mine = await aTenant(api);
    const reset = '/v2/workspace/authtoken/reset';
    await Promise.all(Array.from({ length: 5 }, () => mine.workspace.ok(reset, { apiKey: mine.apiKey })));
    const { data } = await mine.workspace.ok<{ authTokens: unknown[] }>('/v2/workspace/authtokens/get', {
      apiKey: mine.apiKey,
    });
    expect(data.authTokens).toHaveLength(1);
  });
});

describe('stored secrets', () => {
  it('appear nowhere in plain text', async () => {
    const secrets = [tenant.apiKey, tenant.authToken, tenant.workspace.authToken];
    const dump = await api.database.sql<{ line: string }>(
      `select encode(key_enc, 'escape') || encode(key_hash, 'escape') || name as line from api_key
       union all select encode(token_enc, 'escape') || encode(token_hash, 'escape') from auth_token
       union all select encode(token_enc, 'escape') || encode(token_hash, 'escape') || public_id from workspace`,
    );
    const text = dump.map(({ line }) => line).join('\n');
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('cannot be decrypted in another row', async () => {
    const [mine, theirs] = [await aTenant(api), await aTenant(api)];
    await api.database.sql(
      `update auth_token t set token_enc = o.token_enc from auth_token o where t.api_key_id = $1 and o.api_key_id = $2`,
      [mine.id, theirs.id],
    );
    const response = await mine.workspace.call('/v2/workspace/authtokens/get', { apiKey: mine.apiKey });
    expect([response.status, response.body.error?.message]).toEqual([500, 'Internal error.']);
  });
});

describe('web pages of other origins', () => {
  it('can call only with a key that allows them', async () => {
    const open = await aTenant(api);
    const closed = await aTenant(api, {
      allowedDomains: ['example.com', '*.acme.io', 'localhost', 'dev.test:8080'],
    });
    const status = async (client: TestClient, origin: string) =>
      (await client.call(get, {}, { headers: { origin } })).status;
    expect(await status(open, 'https://anywhere.net')).toBe(200);
    for (const origin of [
      'https://example.com',
      'http://www.example.com',
      'https://example.com:8443',
      'https://a.acme.io',
      'https://a.b.acme.io',
      'http://localhost:3000',
      'http://dev.test:8080',
      'https://EXAMPLE.com',
      api.url,
    ]) {
      expect([origin, await status(closed, origin)]).toEqual([origin, 200]);
    }
    for (const origin of [
      'https://evil.com',
      'https://example.com.evil.com',
      'https://notexample.com',
      'https://acme.io',
      'https://evilacme.io',
      'http://dev.test:9090',
      'null',
      'example.com',
      'file://example.com',
      '',
      'https://example.com@evil.com',
    ]) {
      expect([origin, await status(closed, origin)]).toEqual([origin, 403]);
    }
    expect(await refusalOf(closed, get, { origin: 'https://evil.com' })).toEqual([
      403,
      'PERMISSION_DENIED',
      'Origin is not allowed.',
    ]);
    expect((await closed.call(get, {})).status).toBe(200);
  });
});

describe('the rate limit of a key', () => {
  it('is reported on every response, and returns 429 with Retry-After when exceeded', async () => {
    const limited = await startTestApi({
      database: api.database,
      environment: { STEWARD_RATE_LIMIT: '1', STEWARD_RATE_BURST: '3' },
    });
    try {
      const other = calledThrough(limited, await aTenant(api));
      // Again with a new key when a slow machine needs so long that a token returns.
      const mine = await eventually(async () => {
        const caller = calledThrough(limited, await aTenant(api));
        const responses: Response[] = [];
        for (const raw of ['', '{', '{"data":{"x":1}}', '', ''])
          responses.push(await caller.call(get, undefined, { raw }));
        expect(responses.map(({ status }) => status)).toEqual([200, 400, 400, 429, 429]);
        const each = (header: string) => responses.map(({ headers }) => headers[header]);
        expect(each('ratelimit-limit')).toEqual(['3', '3', '3', '3', '3']);
        expect(each('ratelimit-remaining')).toEqual(['2', '1', '0', '0', '0']);
        expect(responses[3]?.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-reset': '3' });
        expect(responses[3]?.body.error).toMatchObject({
          status: 'RESOURCE_EXHAUSTED',
          message: 'Rate limit exceeded. Try again after 1 second(s).',
        });
        return caller;
      });
      expect((await other.call(get, {})).status).toBe(200);
      const wrong = await mine.call(get, {}, { headers: { 'x-svc-auth-token': 'wrong' } });
      expect([wrong.status, wrong.headers['ratelimit-limit']]).toEqual([403, undefined]);
      await eventually(async () => expect((await mine.call(get, {})).status).toBe(200));
    } finally {
      await limited.close();
    }
  });
});

describe('failed credentials', () => {
  it('return 429 beyond the limit of an address, which never affects valid credentials', async () => {
    const limited = await startTestApi({
      database: api.database,
      environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: '3' },
    });
    try {
      const mine = calledThrough(limited, tenant);
      const wrong = mine.with({ 'x-svc-auth-token': 'wrong' });
      const statuses = [];
      for (let call = 0; call < 5; call += 1) statuses.push((await wrong.call(get, {})).status);
      expect(statuses).toEqual([403, 403, 403, 429, 429]);
      expect((await mine.call(get, {})).status).toBe(200);
      const refusal = await aStranger(limited).refused(
        create,
        {},
        { headers: { 'x-svc-operator-token': 'wrong' } },
      );
      expect(refusal.http).toBe(429);
      expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
      expect(refusal.message).toMatch(/^Rate limit exceeded\. Try again after \d+ second\(s\)\.$/);
      expect((await aStranger(limited).refused(get, {})).http).toBe(401);
    } finally {
      await limited.close();
    }
  });

  it('count for all API processes together', async () => {
    const environment = { STEWARD_FAILED_CREDENTIALS_LIMIT: '6', STEWARD_TRUSTED_PROXIES: '127.0.0.0/8' };
    const processes = [
      await startTestApi({ database: api.database, environment }),
      await startTestApi({ database: api.database, environment }),
      await startTestApi({ database: api.database, environment }),
    ];
    try {
      const headers = { 'x-forwarded-for': '203.0.113.77' };
      const wrong = processes.map((one) => calledThrough(one, tenant).with({ 'x-svc-auth-token': 'wrong' }));
      const statuses = [];
      for (let call = 0; call < 9; call += 1)
        statuses.push((await wrong[call % 3]?.call(get, {}, { headers }))?.status);
      expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429, 429, 429]);
      const stored = await api.database.sql('select failures from failed_credentials where failures > 5');
      expect(stored).toHaveLength(1);
      expect((await calledThrough(processes[0] ?? api, tenant).call(get, {}, { headers })).status).toBe(200);
    } finally {
      await Promise.all(processes.map(async (one) => one.close()));
    }
  });

  it('count for the address that a trusted proxy reports, which the access log shows', async () => {
    const proxied = await startTestApi({
      database: api.database,
      environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: '1', STEWARD_TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    try {
      const wrong = calledThrough(proxied, tenant).with({ 'x-svc-auth-token': 'wrong' });
      const refused = async (forwarded: string) =>
        wrong.call(get, {}, { headers: { 'x-forwarded-for': forwarded } });
      expect((await refused('203.0.113.1')).status).toBe(403);
      expect((await refused('198.51.100.1, 203.0.113.1')).status).toBe(429);
      const other = await refused('203.0.113.1, 203.0.113.2');
      expect(other.status).toBe(403);
      expect(proxied.accessLine(String(other.headers['x-request-id']))).toMatchObject({
        address: '203.0.113.2',
      });
    } finally {
      await proxied.close();
    }
  });
});
