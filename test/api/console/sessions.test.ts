import { afterAll, describe, expect, it } from '@jest/globals';
import { deleteExpiredSessions } from '../../../domain/maintenance/delete-expired.ts';
import { startTestApi } from '../../support/api.ts';
import { aClient } from '../../support/client.ts';
import { aPage, signIn, type SignedIn } from '../../support/console.ts';
import { operatorToken } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import {
  anOperator,
  anOperatorToken,
  aScopedToken,
  aTenant,
  type TestTenant,
} from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
const second = await startTestApi({ database: api.database });
afterAll(async () => {
  await second.close();
  await api.close();
});

const list = '/v2/organizations/get';
const get = { method: 'GET' };
const ended = {
  http: 401,
  status: 'UNAUTHENTICATED',
  message: 'Sign in to the console. The session is unknown or has ended.',
};

const byKey = ({ apiKey, authToken }: TestTenant) => ({ apiKey, authToken });
const byWorkspace = ({ workspace: { workspaceId, authToken } }: TestTenant) => ({ workspaceId, authToken });

/** The same browser, in front of the second process. */
const inSecond = (browser: SignedIn) => aPage(second).with(browser.pages.headers);
const refusedBySecond = async (browser: SignedIn) =>
  inSecond(browser).refused('/console/session', undefined, get);

describe('a session ends at once in every process', () => {
  const cases: readonly (readonly [string, (tenant: TestTenant) => Promise<SignedIn>])[] = [
    [
      'when its token is reset',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        await tenant.workspace.ok('/v2/workspace/authtoken/reset', { apiKey: tenant.apiKey });
        return browser;
      },
    ],
    [
      'when its scoped token is revoked',
      async (tenant) => {
        const { authTokenId, token } = await aScopedToken(tenant, ['organizations:read']);
        const browser = await signIn(api, { apiKey: tenant.apiKey, authToken: token });
        const { apiKey } = tenant;
        await tenant.workspace.ok('/v2/workspace/authtokens/revoke', { apiKey, authTokenId });
        return browser;
      },
    ],
    [
      'when its token expires',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        await api.database.sql('update auth_token set expires_at = now() where api_key_id = $1', [tenant.id]);
        return browser;
      },
    ],
    [
      'when its key is disabled, and stays ended when the key is enabled',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        const { apiKey } = tenant;
        await tenant.workspace.ok('/v2/workspace/apikey/disable', { apiKey });
        expect(await refusedBySecond(browser)).toMatchObject(ended);
        await tenant.workspace.ok('/v2/workspace/apikey/enable', { apiKey });
        return browser;
      },
    ],
    [
      'when its workspace is disabled, and stays ended when the workspace is enabled',
      async (tenant) => {
        const browser = await signIn(api, byWorkspace(tenant));
        const { workspaceId } = tenant.workspace;
        await anOperator(api).ok('/v2/operator/workspaces/disable', { workspaceId });
        expect(await refusedBySecond(browser)).toMatchObject(ended);
        await anOperator(api).ok('/v2/operator/workspaces/enable', { workspaceId });
        return browser;
      },
    ],
    [
      'when its key is deleted',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        const { data } = await anOperator(api).ok<{ name: string }>('/v2/operator/keys/get', {
          keyId: tenant.keyId,
        });
        const confirmName = data.name;
        await tenant.workspace.ok('/v2/workspace/apikey/delete', { apiKey: tenant.apiKey, confirmName });
        return browser;
      },
    ],
    [
      'when its operator token is revoked',
      async () => {
        const { tokenId, token } = await anOperatorToken(anOperator(api));
        const browser = await signIn(api, { operatorToken: token });
        await anOperator(api).ok('/v2/operator/tokens/revoke', { tokenId });
        return browser;
      },
    ],
    [
      'when it is signed out, however often its cookie is replayed',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        const signedOut = await browser.pages.call('/console/session', undefined, { method: 'DELETE' });
        expect(signedOut.headers['set-cookie']?.[0]).toMatch(/^steward_console=; Path=\/; Max-Age=0;/);
        return browser;
      },
    ],
    [
      'after 2 hours without a call',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        await api.database.sql(
          `update console_session set last_used_at = now() - interval '2 hours' where owner_id = $1`,
          [tenant.id],
        );
        return browser;
      },
    ],
    [
      'after 12 hours',
      async (tenant) => {
        const browser = await signIn(api, byKey(tenant));
        await api.database.sql('update console_session set expires_at = now() where owner_id = $1', [
          tenant.id,
        ]);
        return browser;
      },
    ],
  ];

  it.each(cases)('%s', async (_name, act) => {
    const browser = await act(await aTenant(api));
    expect(await refusedBySecond(browser)).toMatchObject(ended);
    expect(await inSecond(browser).refused(`/console/api${list}`)).toMatchObject(ended);
  });

  it('when STEWARD_OPERATOR_TOKEN changes', async () => {
    const browser = await signIn(api, { operatorToken });
    const changed = await startTestApi({
      database: api.database,
      environment: { STEWARD_OPERATOR_TOKEN: 'another-operator-token' },
    });
    try {
      const there = aPage(changed).with(browser.pages.headers);
      expect(await there.refused('/console/session', undefined, get)).toMatchObject(ended);
    } finally {
      await changed.close();
    }
  });
});

describe('a session', () => {
  it('is valid in every process, and use extends it', async () => {
    const tenant = await aTenant(api);
    const browser = await signIn(api, byKey(tenant));
    const age = `update console_session set last_used_at = now() - interval '119 minutes' where owner_id = $1`;
    await api.database.sql(age, [tenant.id]);
    await inSecond(browser).ok(`/console/api${list}`);
    const { data } = await browser.pages.ok<{ idleExpiresAt: number }>('/console/session', undefined, get);
    expect(data.idleExpiresAt).toBeGreaterThan(Date.now() + 60 * 60_000);
  });

  it('is listed and revoked only by sessions of the same token', async () => {
    const tenant = await aTenant(api);
    const [mine, lost] = [await signIn(api, byKey(tenant)), await signIn(api, byKey(tenant))];
    const stranger = await signIn(api, byKey(await aTenant(api)));
    const sessions = await mine.pages.ok('/console/sessions', undefined, get);
    expect(sessions.data).toEqual([
      {
        id: lost.session.id,
        createdAt: lost.session.createdAt,
        lastUsedAt: expect.any(Number),
        expiresAt: expect.any(Number),
        userAgent: 'Browser of the tests',
        current: false,
      },
      expect.objectContaining({ id: mine.session.id, current: true }),
    ]);
    const path = `/console/sessions/${lost.session.id}`;
    expect(await stranger.pages.refused(path, undefined, { method: 'DELETE' })).toMatchObject({ http: 404 });
    for (const unknown of ['%00', 'ses_', 'x'.repeat(2_000)])
      expect(
        await mine.pages.refused(`/console/sessions/${unknown}`, undefined, { method: 'DELETE' }),
      ).toMatchObject({ http: 404 });
    await mine.pages.ok(path, undefined, { method: 'DELETE' });
    expect(await refusedBySecond(lost)).toMatchObject(ended);
    await mine.ok(list);
  });

  it('is checked with its token by one statement, which uses indexes', async () => {
    const tenant = await aTenant(api);
    const browser = await signIn(api, byWorkspace(tenant));
    const { data } = await tenant.ok<unknown[]>(list);
    const caller = browser.forKey(tenant.keyId);
    const direct = await statementsOf(() => tenant.ok(list));
    const sent = await statementsOf(async () => expect((await caller.ok(list)).data).toEqual(data));
    expect(sent).toHaveLength(direct.length);
    const [check = { text: '' }] = sent;
    expect(check.text).toContain('console_session');
    const { wholeTables } = await explain(api.database, check);
    expect(wholeTables).toEqual([]);
  });

  it('is opened, listed and ended by statements that use indexes', async () => {
    const tenant = await aTenant(api);
    const sent = await statementsOf(async () => {
      const browser = await signIn(api, byWorkspace(tenant));
      await browser.pages.ok('/console/sessions', undefined, get);
      await browser.pages.ok('/console/session', undefined, { method: 'DELETE' });
    });
    const about = sent.filter(({ text }) => text.includes('console_session'));
    expect(about.length).toBeGreaterThanOrEqual(5);
    for (const statement of about)
      expect((await explain(api.database, statement)).wholeTables).not.toContain('console_session');
  });

  it('is deleted by maintenance once it has expired', async () => {
    const tenant = await aTenant(api);
    await signIn(api, byKey(tenant));
    const kept = await signIn(api, byWorkspace(tenant));
    const expire = `update console_session set expires_at = now() where kind = 'apiKey' and owner_id = $1`;
    await api.database.sql(expire, [tenant.id]);
    await deleteExpiredSessions(api.orm.em.fork());
    const left = await api.database.sql(
      `select public_id from console_session where kind = 'apiKey' and owner_id = $1`,
      [tenant.id],
    );
    expect(left).toEqual([]);
    await kept.pages.ok('/console/session', undefined, get);
  });

  it('is not accepted by /v1 and /v2', async () => {
    const browser = await signIn(api, byKey(await aTenant(api)));
    for (const path of [list, '/v1/organizations/get'])
      expect(await browser.pages.refused(path)).toMatchObject({ http: 401, status: 'UNAUTHENTICATED' });
  });
});

describe('a call of the console', () => {
  it('is refused without the CSRF token of its session', async () => {
    const tenant = await aTenant(api);
    const [browser, other] = [await signIn(api, byKey(tenant)), await signIn(api, byKey(tenant))];
    for (const token of ['', 'wrong', other.session.csrfToken]) {
      const refused = await browser.with({ 'x-console-csrf': token }).refused(list);
      expect(refused).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
    }
  });

  it('is refused when another site sends it', async () => {
    const browser = await signIn(api, byKey(await aTenant(api)));
    const { 'sec-fetch-site': _site, origin: _origin, ...bare } = browser.pages.headers;
    const from = async (headers: Readonly<Record<string, string>>) => {
      const page = { ...bare, ...headers };
      const calls = [
        [`/console/api${list}`, 'POST'],
        ['/console/session', 'POST'],
        ['/console/session', 'DELETE'],
      ] as const;
      const client = aClient(api.url, page);
      const responses = calls.map(async ([path, method]) => (await client.call(path, {}, { method })).status);
      return Promise.all(responses);
    };
    const refused = [403, 403, 403];
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await from({ 'sec-fetch-site': site, origin: api.url })).toEqual(refused);
    for (const origin of ['https://evil.example.com', 'null', api.url.replace('127.0.0.1', 'localhost')])
      expect(await from({ origin })).toEqual(refused);
    expect(await from({})).toEqual(refused);
    await aClient(api.url, { ...bare, origin: api.url }).ok(`/console/api${list}`);
  });

  it('is refused when the browser sends an id under any cookie name', async () => {
    const tenant = await aTenant(api);
    const page = aPage(api).with({ 'x-console-csrf': 'any' });
    for (const cookie of ['steward_console=ses_fixed', '__Host-steward_console=ses_fixed', 'other=1'])
      expect(await page.refused(`/console/api${list}`, {}, { headers: { cookie } })).toMatchObject(ended);
    const browser = await signIn(api, byKey(tenant));
    // Except at a loopback address, only the cookie counts that no other host can set.
    const headers = { host: 'steward.example.com' };
    expect(await browser.refused(list, {}, { headers })).toMatchObject(ended);
    const cookie = `__Host-${browser.cookie}`;
    await browser.with({ cookie, host: 'steward.example.com' }).ok(list);
  });

  it('accepts an Idempotency-Key, and counts toward the rate limit of the key', async () => {
    const tenant = await aTenant(api);
    const browser = (await signIn(api, byWorkspace(tenant))).forKey(tenant.keyId);
    const add = { organizations: [{ organizationId: 'o-1' }] };
    await tenant.ok('/v2/organizations/add', add, { idempotencyKey: 'once' });
    const again = await browser.call('/v2/organizations/add', add, { idempotencyKey: 'once' });
    expect(again.headers['idempotent-replayed']).toBe('true');
    await anOperator(api).ok('/v2/operator/limits/update', {
      keyId: tenant.keyId,
      requestsPerSecond: 1,
      burst: 1,
    });
    // On a slow machine, a token returns before the request of the browser.
    await eventually(async () => {
      await tenant.call(list);
      expect(await browser.refused(list)).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
    });
  });
});
