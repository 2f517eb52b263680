import { afterAll, describe, expect, it } from '@jest/globals';
import { addSignInCode } from '../../../domain/console/sign-in-codes.ts';
import { startTestApi } from '../../support/api.ts';
import { aPage, signIn } from '../../support/console.ts';
import { operatorToken } from '../../support/environment.ts';
import {
  aScopedToken,
  aTenant,
  anOperator,
  anOperatorToken,
  anOrganization,
} from '../../support/factories.ts';

const api = await startTestApi({ environment: { TEMPORAL_UI_URL: 'https://temporal.example.com' } });
afterAll(api.close);
const tenant = await aTenant(api);
const { workspaceId, authToken: workspaceToken } = tenant.workspace;
const byWorkspace = { workspaceId, authToken: workspaceToken };
const byKey = { apiKey: tenant.apiKey, authToken: tenant.authToken };

const list = '/v2/organizations/get';
const keys = '/v2/workspace/apikeys/get';
const hours = 3_600_000;

describe('a sign-in', () => {
  it('by a workspace reaches its keys, which each call names', async () => {
    const other = await aTenant(api, { workspace: tenant.workspace });
    const browser = await signIn(api, byWorkspace);
    expect(browser.session).toMatchObject({
      kind: 'workspace',
      actor: 'Acme',
      scopes: null,
      seesContent: true,
      temporalUiUrl: 'https://temporal.example.com',
      apiKeys: [
        { id: tenant.keyId, enabled: true },
        { id: other.keyId, enabled: true },
      ],
    });
    const { createdAt, idleExpiresAt, expiresAt } = browser.session;
    expect([idleExpiresAt - createdAt, expiresAt - createdAt]).toEqual([2 * hours, 12 * hours]);
    const organizationId = await anOrganization(other);
    expect((await browser.forKey(other.keyId).ok(list)).data).toMatchObject([{ id: organizationId }]);
    expect((await browser.ok<unknown[]>(keys)).data).toHaveLength(2);
    expect(await browser.refused(list)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
  });

  it('by a key reaches this key within the scopes of its token', async () => {
    const { token } = await aScopedToken(tenant, ['organizations:read']);
    const browser = await signIn(api, { apiKey: tenant.apiKey, authToken: token });
    expect(browser.session).toMatchObject({
      kind: 'key',
      scopes: ['organizations:read'],
      apiKeys: [{ id: tenant.keyId, enabled: true }],
    });
    await browser.ok(list);
    await browser.forKey(tenant.keyId).ok(list);
    expect(await browser.refused('/v2/organizations/add', { organizations: [] })).toMatchObject({
      status: 'PERMISSION_DENIED',
      message: 'This operation needs an auth token with the scope organizations:write.',
    });
    expect(await browser.refused(keys)).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
  });

  it('by an operator token reaches operations of its scope', async () => {
    const { token } = await anOperatorToken(anOperator(api));
    const browser = await signIn(api, { operatorToken: token });
    expect(browser.session).toMatchObject({
      kind: 'operator',
      actor: 'On call',
      operatorScope: 'read',
      actsForKeys: false,
      seesContent: false,
      apiKeys: [],
    });
    await browser.ok('/v2/operator/workspaces/list', {});
    const refused = await browser.refused('/v2/operator/keys/disable', { keyId: tenant.keyId });
    expect(refused.message).toBe(
      'This operation needs an operator token of scope operate. The scope of this token is read.',
    );
    expect(await browser.forKey(tenant.keyId).refused('/v2/jobs/list', {})).toMatchObject({
      http: 403,
      message: 'The operator token may not act for API keys.',
    });
  });

  it('by the operator token of the configuration has every scope', async () => {
    const browser = await signIn(api, { operatorToken });
    expect(browser.session).toMatchObject({ kind: 'operator', operatorScope: 'admin', actsForKeys: true });
    await browser.ok('/v2/operator/tokens/list', {});
  });

  it('by a link works once, within 10 minutes, at a loopback address', async () => {
    const codeFor = () => addSignInCode(api.orm.em.fork(), workspaceId);
    const code = await codeFor();
    const page = aPage(api);
    const elsewhere = { headers: { host: 'steward.example.com', origin: 'https://steward.example.com' } };
    expect((await page.refused('/console/session', { code }, elsewhere)).message).toMatch(/loopback/);
    const forwarded = { headers: { 'x-forwarded-for': '192.0.2.1' } };
    expect((await page.refused('/console/session', { code }, forwarded)).message).toMatch(/loopback/);
    expect((await signIn(api, { code })).session).toMatchObject({ kind: 'workspace', actor: 'Acme' });
    const invalid = { http: 403, message: 'Invalid sign-in link. A link works once, for 10 minutes.' };
    expect(await page.refused('/console/session', { code })).toMatchObject(invalid);
    const late = await codeFor();
    await api.database.sql(`update console_code set expires_at = now() - interval '1 second'`);
    expect(await page.refused('/console/session', { code: late })).toMatchObject(invalid);
  });

  it('with one code in two browsers opens one session', async () => {
    const code = await addSignInCode(api.orm.em.fork(), workspaceId);
    const both = await Promise.allSettled([signIn(api, { code }), signIn(api, { code })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('returns the same refusal as operations for wrong credentials, and names the members to send', async () => {
    const page = aPage(api);
    const refusals = [
      [{ ...byWorkspace, authToken: 'wst_wrong' }, 'Invalid workspace credentials.'],
      [{ ...byKey, authToken: 'tok_wrong' }, 'Invalid API key.'],
      [{ operatorToken: 'opt_wrong' }, 'Invalid operator token.'],
      [{ code: 'code_wrong' }, 'Invalid sign-in link. A link works once, for 10 minutes.'],
    ] as const;
    for (const [data, message] of refusals) {
      const refused = await page.refused('/console/session', data);
      expect([refused.http, refused.status, refused.message]).toEqual([403, 'PERMISSION_DENIED', message]);
      expect(refused.headers['set-cookie']).toBeUndefined();
    }
    const shapeless = await page.refused('/console/session', { workspaceId });
    expect(shapeless.details.issues?.map(({ message }) => message)).toEqual([
      'Send workspaceId and authToken, apiKey and authToken, operatorToken, or code.',
    ]);
  });

  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const cookiesOf = async (headers: Readonly<Record<string, string>>) => {
      const { headers: received } = await aPage(api).call('/console/session', byKey, { headers });
      return received['set-cookie']?.map((cookie) => cookie.replace(/=ses_[\w-]{32};/, '=ses_…;'));
    };
    // Each sign-in deletes the cookie of the other name.
    expect(await cookiesOf({})).toEqual([
      'steward_console=ses_…; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict',
      '__Host-steward_console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    ]);
    const secure = [
      '__Host-steward_console=ses_…; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure',
      'steward_console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ];
    expect(await cookiesOf({ host: 'steward.example.com' })).toEqual(secure);
    // A local proxy that terminates TLS and sends this machine's name as the host.
    expect(await cookiesOf({ origin: 'https://steward.example.com' })).toEqual(secure);
    expect(await cookiesOf({ 'x-forwarded-for': '127.0.0.1' })).toEqual(secure);
  });

  it('creates a new id each time, and ends the browser’s earlier session', async () => {
    const first = await signIn(api, byKey);
    const again = await first.pages.call('/console/session', byKey);
    expect(again.headers['set-cookie']?.[0]).not.toContain(first.cookie);
    expect(await first.pages.refused('/console/session', undefined, { method: 'GET' })).toMatchObject({
      http: 401,
      status: 'UNAUTHENTICATED',
    });
  });

  it('keeps 20 sessions per token, and ends the least recently used one', async () => {
    const own = await aTenant(api);
    const credentials = { apiKey: own.apiKey, authToken: own.authToken };
    const oldest = await signIn(api, credentials);
    const others = await Promise.all(Array.from({ length: 20 }, () => signIn(api, credentials)));
    await oldest.refused(list);
    const [other] = others;
    const sessions = await other?.pages.ok<unknown[]>('/console/sessions', undefined, { method: 'GET' });
    expect(sessions?.data).toHaveLength(20);
  });
});
