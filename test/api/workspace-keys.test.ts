import { afterAll, describe, expect, it } from '@jest/globals';
import { apiKeyContext } from '../../domain/workspaces/api-key-context.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { startTestApi } from '../support/api.ts';
import { aClient, issuesOf } from '../support/client.ts';
import { aTenant, aWorkspace, type TestWorkspace } from '../support/factories.ts';
import { rows } from '../support/raw-sql.ts';

const api = await startTestApi();
afterAll(api.close);

const path = '/v2/workspace/apikey/create';
const least = { ownerEmail: 'ada.lovelace@example.com', type: 'testing' };

interface Made {
  readonly apiKey: string;
  readonly authToken?: string;
}

async function aKey(workspace: TestWorkspace, data: object = {}) {
  const { data: made } = await workspace.ok<Made>(path, { ...least, ...data });
  return aClient(api.url, { 'x-svc-api-key': made.apiKey, 'x-svc-auth-token': made.authToken ?? '' });
}

describe('creating an API key', () => {
  it('returns a key and a token that work at once', async () => {
    const workspace = await aWorkspace(api);
    const { message, data } = await workspace.ok<Made>(path, least);
    expect([message, Object.keys(data)]).toEqual(['API key created successfully.', ['apiKey', 'authToken']]);
    const key = aClient(api.url, {
      'x-svc-api-key': data.apiKey,
      'x-svc-auth-token': data.authToken ?? '',
    });
    expect((await key.ok<unknown[]>('/v2/organizations/get')).data).toEqual([]);
    expect((await key.ok<{ ownerEmail: string }>('/v2/workspace/apikeyconfig/get')).data.ownerEmail).toBe(
      least.ownerEmail,
    );
  });

  it('names the cell of the key, and accepts keys of earlier releases, which name none', async () => {
    const workspace = await aWorkspace(api);
    const { apiKey, authToken = '' } = (await workspace.ok<Made>(path, least)).data;
    expect(apiKey).toMatch(/^key_0_[\w-]{32}$/);
    const earlier = apiKey.replace('key_0_', 'key_');
    const context = (key: string) => apiKeyContext(sha256(key), workspace.id);
    await rows(api.orm.em.fork(), 'update api_key set key_hash = $1, key_enc = $2 where key_hash = $3', [
      sha256(earlier),
      api.keyRing.encrypt(earlier, context(earlier)),
      sha256(apiKey),
    ]);
    const caller = aClient(api.url, { 'x-svc-api-key': earlier, 'x-svc-auth-token': authToken });
    expect((await caller.ok<unknown[]>('/v2/organizations/get')).data).toEqual([]);
    const { data } = await workspace.ok<{ id: string }[]>('/v2/workspace/apikeys/get', {
      apiKeys: [earlier],
    });
    expect(data.map(({ id }) => id)).toEqual([earlier]);
  });

  it.each([
    ['testing', 'Ada.lovelace Test API Key'],
    ['production', 'Ada.lovelace API Key'],
  ])('names a %s key after its owner when no name is sent', async (type, apiKeyName) => {
    const workspace = await aWorkspace(api);
    const { apiKey } = (await workspace.ok<Made>(path, { ...least, type })).data;
    const { data } = await workspace.ok('/v2/workspace/apikeys/get', { apiKeys: [apiKey] });
    expect(data).toEqual([{ id: apiKey, apiKeyName, type }]);
  });

  it('creates no token with createAuthToken: false', async () => {
    const workspace = await aWorkspace(api);
    const { data } = await workspace.ok<Made>(path, { ...least, createAuthToken: false });
    expect(Object.keys(data)).toEqual(['apiKey']);
    const tokens = await workspace.ok<{ authTokens: unknown[] }>('/v2/workspace/authtokens/get', {
      apiKey: data.apiKey,
    });
    expect(tokens.data.authTokens).toEqual([]);
  });

  it('stores the services given as configurations, with their first triggers', async () => {
    const key = await aKey(await aWorkspace(api), {
      useEmailService: true,
      emailServiceConfig: { type: 'sendgrid', apiKey: 'SG.secret' },
      useWebhookService: true,
      webhookServiceConfig: { rawNotificationUrl: 'https://hooks.example.com/raw', authToken: 'secret' },
      useNotificationService: true,
      requireAutoOrgUser: true,
      enablePrivateComments: true,
    });
    expect((await key.ok('/v2/workspace/emailconfig/get')).data).toMatchObject({
      useEmailService: true,
      emailServiceConfig: {
        type: 'sendgrid',
        apiKey: 'SG.secret',
        triggers: { comment: { 'comment.add': true }, huddle: { 'huddle.join': true } },
      },
    });
    expect((await key.ok('/v2/workspace/webhookconfig/get')).data).toMatchObject({
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: 'secret',
        rawNotificationUrl: 'https://hooks.example.com/raw',
        triggers: { comment: { 'comment.update': true } },
      },
    });
    expect((await key.ok('/v2/workspace/notificationconfig/get')).data).toMatchObject({
      useNotificationService: true,
      notificationServiceConfig: { triggers: { comment: { 'comment.add': true } } },
    });
    expect((await key.ok('/v2/workspace/apikeyconfig/get')).data).toMatchObject({
      requireAutoOrgUser: true,
      isPrivateCommentsEnabled: true,
    });
  });

  it('leaves triggers empty when the defaults are declined, also after a later enable', async () => {
    const key = await aKey(await aWorkspace(api), {
      useEmailService: true,
      useNotificationService: true,
      setDefaultEmailTriggers: false,
      setDefaultNotificationTriggers: false,
    });
    await key.ok('/v2/workspace/emailconfig/update', { useEmailService: false });
    await key.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    const triggers = { comment: {}, huddle: {} };
    expect((await key.ok('/v2/workspace/emailconfig/get')).data).toMatchObject({
      useEmailService: true,
      emailServiceConfig: { triggers },
    });
    expect((await key.ok('/v2/workspace/notificationconfig/get')).data).toMatchObject({
      notificationServiceConfig: { triggers },
    });
  });

  it('accepts members without effect, and checks their type', async () => {
    const workspace = await aWorkspace(api);
    const withoutEffect = {
      persistenceDBRegion: 'eu',
      realtimeDBRegion: 'eu',
      planInfo: { type: 'gold' },
      customPlanInfo: true,
      customPlanInfoData: {},
      workspaceId: 'another',
      isSuperWorkspace: true,
      platform: 'web',
    };
    await workspace.ok(path, { ...least, ...withoutEffect });
    const refusal = await workspace.refused(path, { ...least, planInfo: 'gold', customPlanInfo: 1 });
    expect(issuesOf(refusal)).toEqual({
      'data.planInfo': 'planInfo must be an object.',
      'data.customPlanInfo': 'customPlanInfo must be a boolean.',
    });
  });

  it('names every invalid member, and creates no key', async () => {
    const workspace = await aWorkspace(api);
    const refusal = await workspace.refused(path, {
      ownerEmail: 'nobody',
      apiKeyName: 'n'.repeat(201),
      allowedDomains: ['example.com', 'http://'],
      emailServiceConfig: { apiKeyy: '' },
      webhookServiceConfig: {
        rawNotificationUrl: 'nowhere',
        processedNotificationUrl: 'https://user:password@example.com',
      },
      unknown: 1,
    });
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual({
      'data.ownerEmail': 'ownerEmail must be a valid e-mail address.',
      'data.type': 'type is required.',
      'data.apiKeyName': 'apiKeyName must be at most 200 characters.',
      'data.allowedDomains[1]': 'allowedDomains[1] must be a domain name.',
      'data.emailServiceConfig.apiKeyy': 'Unknown member: emailServiceConfig.apiKeyy.',
      'data.webhookServiceConfig.rawNotificationUrl': 'Please enter a valid URL',
      'data.webhookServiceConfig.processedNotificationUrl': 'Please enter a valid URL',
      'data.unknown': 'Unknown member: unknown.',
    });
    expect((await workspace.ok<unknown[]>('/v2/workspace/apikeys/get')).data).toEqual([]);
  });

  it('accepts at most 100 domains, including this machine’s', async () => {
    const workspace = await aWorkspace(api);
    const domains = (count: number) =>
      Array.from({ length: count }, (_, number) => `d${String(number)}.example.com`);
    const key = await aKey(workspace, {
      allowedDomains: [...domains(98), 'https://www.d1.example.com/path'],
      addLocalHostToAllowedDomains: true,
    });
    const { data } = await key.ok<{ allowedDomains: string[] }>('/v2/workspace/domains/get');
    expect(data.allowedDomains).toHaveLength(100);
    expect(data.allowedDomains.slice(-2)).toEqual(['localhost', '127.0.0.1']);
    const refusal = await workspace.refused(path, {
      ...least,
      allowedDomains: domains(99),
      addLocalHostToAllowedDomains: true,
    });
    expect(issuesOf(refusal)).toEqual({
      'data.allowedDomains':
        'allowedDomains must hold at most 100 items with those that addLocalHostToAllowedDomains adds, not 101.',
    });
    await workspace.ok(path, { ...least, allowedDomains: [] });
  });
});

describe('allowed domains', () => {
  it('are added once, deleted, and returned in their normalized form', async () => {
    const tenant = await aTenant(api);
    const added = await tenant.ok('/v2/workspace/domains/add', {
      domains: ['https://www.Example.com/path', 'example.com', '*.example.org'],
    });
    expect([added.message, added.data]).toEqual([
      'Domains added successfully.',
      { domainsAdded: ['example.com', '*.example.org'], skippedDomains: [] },
    ]);
    expect(
      (await tenant.ok('/v2/workspace/domains/add', { domains: ['example.com', 'example.net'] })).data,
    ).toEqual({ domainsAdded: ['example.net'], skippedDomains: ['example.com'] });
    const removed = await tenant.ok('/v2/workspace/domains/delete', {
      domains: ['HTTP://EXAMPLE.COM', 'never.example'],
    });
    expect([removed.message, removed.data]).toEqual([
      'Domains deleted successfully.',
      { domainsRemoved: ['example.com'], skippedDomains: ['never.example'] },
    ]);
    const read = await tenant.ok('/v2/workspace/domains/get');
    expect([read.message, read.data]).toEqual([
      'Allowed domains retrieved successfully.',
      { allowedDomains: ['*.example.org', 'example.net'] },
    ]);
  });

  it('restrict pages beginning with the next request', async () => {
    const tenant = await aTenant(api);
    const page = tenant.with({ origin: 'https://evil.example' });
    await page.ok('/v2/workspace/domains/get');
    await tenant.ok('/v2/workspace/domains/add', { domains: ['good.example'] });
    expect((await page.refused('/v2/workspace/domains/get')).message).toBe('Origin is not allowed.');
    await tenant.with({ origin: 'https://www.good.example' }).ok('/v2/workspace/domains/get');
    await tenant.ok('/v2/workspace/domains/delete', { domains: ['good.example'] });
    await page.ok('/v2/workspace/domains/get');
  });

  it('are all stored when added concurrently, and the 101st is refused', async () => {
    const tenant = await aTenant(api);
    const domain = (number: number) => `d${String(number)}.example`;
    await Promise.all(
      Array.from({ length: 20 }, (_, call) =>
        tenant.ok('/v2/workspace/domains/add', {
          domains: Array.from({ length: 5 }, (_, number) => domain(call * 5 + number)),
        }),
      ),
    );
    const refusal = await tenant.refused('/v2/workspace/domains/add', { domains: [domain(0), domain(100)] });
    expect([refusal.http, refusal.message]).toEqual([400, 'A key holds at most 100 domains, not 101.']);
    const { data } = await tenant.ok<{ allowedDomains: string[] }>('/v2/workspace/domains/get');
    expect(data.allowedDomains).toHaveLength(100);
  });

  it.each(['', 'two words', '*', '*.*.example.com', 'user@example.com', 'http://'])(
    'cannot be %p',
    async (domain) => {
      const tenant = await aTenant(api);
      const refusal = await tenant.refused('/v2/workspace/domains/add', { domains: [domain] });
      expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(Object.keys(issuesOf(refusal))).toEqual(['data.domains[0]']);
    },
  );

  it('are deleted as they are listed when an earlier release stored longer ones', async () => {
    const tenant = await aTenant(api);
    const distinct = Array.from({ length: 200 }, (_, index) => 0x4e_00 + index);
    const stored = [
      new URL(`http://${String.fromCodePoint(...distinct)}`).hostname,
      `${'a'.repeat(64)}.example`,
      'a..b',
    ];
    const update = 'update api_key set allowed_domains = $1 where id = $2';
    await api.database.sql(update, [stored, tenant.id]);
    const { data } = await tenant.ok<{ allowedDomains: string[] }>('/v2/workspace/domains/get');
    expect(data.allowedDomains.toSorted()).toEqual(stored.toSorted());
    const removed = await tenant.ok('/v2/workspace/domains/delete', { domains: data.allowedDomains });
    expect(removed.data).toMatchObject({ skippedDomains: [] });
    expect((await tenant.ok('/v2/workspace/domains/get')).data).toEqual({ allowedDomains: [] });
  });

  it('are 1 to 100 per call', async () => {
    const tenant = await aTenant(api);
    expect((await tenant.refused('/v2/workspace/domains/delete', { domains: [] })).message).toBe(
      'domains must hold 1 to 100 items, not 0.',
    );
  });
});
