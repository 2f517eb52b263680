import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { authTokenIdOf } from '../../domain/workspaces/key-ids.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOperator, aTenant, aWorkspace, freshId } from '../support/factories.ts';

const api = await startTestApi({ environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: '30' } });
afterAll(api.close);

interface Entry {
  readonly workspace_id: string | null;
  readonly key_id: string | null;
  readonly actor_kind: string;
  readonly actor: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly before: object | null;
  readonly after: object | null;
  readonly request_id: string;
  readonly dropped: number;
}

const entries = (column: 'workspace_id' | 'key_id', id: string): Promise<Entry[]> =>
  api.database.sql<Entry>(`select * from audit_entry where ${column} = $1 order by at`, [id]);

const administrative = ({ mutates, credentials, paths: [path] }: Endpoint): boolean =>
  mutates &&
  (credentials !== 'apiKey' ||
    path.startsWith('/v2/workspace/') ||
    /\/(?:organizations|folders|documents|data)\/delete$|\/jobs\/cancel$/.test(path));

describe('the registry of operations', () => {
  it('declares an audit entry for every administrative operation that changes something', () => {
    const unaudited = endpoints.filter(
      (endpoint) => administrative(endpoint) && endpoint.audit === undefined,
    );
    expect(unaudited.map(({ paths }) => paths[0])).toEqual([]);
  });

  it('names actions as resource and verb', () => {
    const actions = endpoints.flatMap(({ audit }) => (audit === undefined ? [] : [audit.action]));
    expect(actions.length).toBeGreaterThan(20);
    expect(actions.filter((action) => !/^[a-z_]+\.[a-z_]+$/.test(action))).toEqual([]);
  });
});

describe('the audit log', () => {
  it('has an entry for a change with its actor, address, request and changed values', async () => {
    const tenant = await aTenant(api);
    const path = '/v2/workspace/notificationconfig/update';
    await tenant.ok(path, { useNotificationService: true }, { headers: { 'x-request-id': 'rename-1' } });
    const [entry, ...others] = await entries('key_id', tenant.keyId);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      workspace_id: tenant.workspace.workspaceId,
      actor_kind: 'apiKey',
      actor: authTokenIdOf(tenant.authToken),
      address: '127.0.0.1',
      action: 'configuration.update',
      target: 'notification',
      outcome: 'succeeded',
      before: { useNotificationService: false },
      after: { useNotificationService: true },
      request_id: 'rename-1',
      dropped: 0,
    });
  });

  it('does not store a request id that could contain an address', async () => {
    const tenant = await aTenant(api);
    const path = '/v2/workspace/notificationconfig/update';
    const headers = { 'x-request-id': 'for-ada@example.com' };
    await tenant.ok(path, { useNotificationService: true }, { headers });
    expect(await entries('key_id', tenant.keyId)).toMatchObject([{ request_id: null }]);
  });

  it('masks secrets, drops queries of URLs and stores e-mail addresses as pseudonyms', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/workspace/emailconfig/update', {
      emailServiceConfig: { apiKey: 'mail-secret', fromEmail: 'ada@example.com' },
    });
    await tenant.ok('/v2/workspace/webhookconfig/update', {
      webhookServiceConfig: { rawNotificationUrl: 'HTTPS://hooks.example.com/raw?token=url-secret' },
    });
    await tenant.ok('/v2/workspace/apikeyconfig/update', {
      aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-secret' }],
    });
    const [email, webhook, key] = await entries('key_id', tenant.keyId);
    expect(email?.after).toEqual({
      emailServiceConfig: { apiKey: '***', fromEmail: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(webhook?.after).toEqual({
      webhookServiceConfig: { rawNotificationUrl: 'https://hooks.example.com/raw?…' },
    });
    expect(key).toMatchObject({
      before: { aiModelKeys: { openai: '' } },
      after: { aiModelKeys: { openai: '***' } },
    });
    const [{ text } = { text: '' }] = await api.database.sql<{ text: string }>(
      'select string_agg(e::text, chr(10)) as text from audit_entry e where key_id = $1',
      [tenant.keyId],
    );
    expect(text).not.toMatch(/secret|ada@/);
  });

  it('contains the settings that are stored for a new key, without secrets', async () => {
    const { workspace } = await aTenant(api);
    await workspace.ok('/v2/workspace/apikey/create', {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: 'webhook-secret',
        rawNotificationUrl: 'https://hooks.example.com/raw?token=url-secret',
      },
      emailServiceConfig: { type: 'sendgrid', apiKey: 'mail-secret' },
      requireAutoOrgUser: true,
    });
    const made = await entries('workspace_id', workspace.workspaceId);
    const { after } = made.findLast(({ action }) => action === 'key.create') ?? {};
    expect(after).toMatchObject({
      type: 'testing',
      useWebhookService: true,
      webhookServiceConfig: { authToken: '***', rawNotificationUrl: 'https://hooks.example.com/raw?…' },
      emailServiceConfig: { type: 'sendgrid', apiKey: '***' },
      requireAutoOrgUser: true,
    });
    expect(after).not.toHaveProperty('useEmailService');
    expect(JSON.stringify(after)).not.toMatch(/secret|ada@/);
  });

  it('lists acts of a workspace and of the operator under the workspace and its key', async () => {
    const { data } = await anOperator(api).ok<{ id: string; authToken: string }>('/v2/workspace/create', {
      ownerEmail: 'grace@example.com',
    });
    const workspace = aClient(api.url, {
      'x-svc-workspace-id': data.id,
      'x-svc-workspace-auth-token': data.authToken,
    });
    const made = await workspace.ok<{ apiKey: string }>('/v2/workspace/apikey/create', {
      ownerEmail: 'grace@example.com',
      type: 'testing',
    });
    const { apiKey } = made.data;
    await workspace.ok('/v2/workspace/apikey/update', { apiKey, apiKeyName: 'Staging' });
    await workspace.ok('/v2/workspace/authtoken/reset', { apiKey });
    const found = await entries('workspace_id', data.id);
    expect(found.map(({ action, actor_kind, actor }) => [action, actor_kind, actor])).toEqual([
      ['workspace.create', 'operator', 'operator'],
      ['key.create', 'workspace', data.id],
      ['key.update', 'workspace', data.id],
      ['token.reset', 'workspace', data.id],
    ]);
    expect(found[0]?.target).toBe(data.id);
    expect(found[2]).toMatchObject({ before: { apiKeyName: null }, after: { apiKeyName: 'Staging' } });
    expect(new Set(found.slice(1).map(({ key_id }) => key_id))).toEqual(new Set([found[1]?.target]));
    expect(JSON.stringify(found)).not.toMatch(/grace/i);
    expect(JSON.stringify(found)).not.toContain(apiKey);
  });

  it('names users by the pseudonyms of their receipts', async () => {
    const tenant = await aTenant(api);
    const { jobId } = (
      await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds: ['ada', 'grace'] })
    ).data;
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
    await tenant.ok('/v2/users/data/get', { organizationId: 'acme', userId: 'ada' });
    const { data: status } = await tenant.ok<{ pseudonyms: { userId: string; pseudonym: string }[] }>(
      '/v2/users/data/delete/status',
      { jobId },
    );
    const pseudonym = (id: string) => status.pseudonyms.find(({ userId }) => userId === id)?.pseudonym;
    const found = await entries('key_id', tenant.keyId);
    expect(found.map(({ action, target }) => [action, target])).toEqual([
      ['user_data.delete', pseudonym('ada')],
      ['user_data.delete', pseudonym('grace')],
      ['user_data.export', pseudonym('ada')],
    ]);
  });

  it('has one entry for each deleted item and none for items that failed', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/organizations/add', {
      organizations: [{ organizationId: 'a' }, { organizationId: 'b' }],
    });
    await tenant.ok('/v2/organizations/delete', { organizationIds: ['a', 'missing', 'b'] });
    await tenant.ok('/v2/organizations/delete', { organizationIds: ['missing'] });
    const found = await entries('key_id', tenant.keyId);
    expect(found.map(({ action, target }) => [action, target])).toEqual([
      ['organization.delete', 'a'],
      ['organization.delete', 'b'],
    ]);
  });

  it('has no entry for an act that fails, with or without an Idempotency-Key, and one for a replayed act', async () => {
    const workspace = await aWorkspace(api);
    const missing = { apiKey: 'key_missing', apiKeyName: 'x' };
    await workspace.refused('/v2/workspace/apikey/update', missing);
    await workspace.refused('/v2/workspace/apikey/update', missing, { idempotencyKey: 'one' });
    const create = { ownerEmail: 'owner@example.com', type: 'testing' };
    await workspace.ok('/v2/workspace/apikey/create', create, { idempotencyKey: 'two' });
    await workspace.ok('/v2/workspace/apikey/create', create, { idempotencyKey: 'two' });
    const found = await entries('workspace_id', workspace.workspaceId);
    expect(found.map(({ action }) => action)).toEqual(['key.create']);
  });
});

describe('a denied attempt', () => {
  const path = '/v2/workspace/domains/add';
  const domains = ['example.com'];

  it('has an entry without an actor when the token is wrong', async () => {
    const tenant = await aTenant(api);
    await tenant.with({ 'x-svc-auth-token': 'tok_wrong' }).refused(path, { domains });
    const [entry] = await eventually(async () => {
      const found = await entries('key_id', tenant.keyId);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(entry).toMatchObject({ action: 'domains.add', outcome: 'denied', actor: null, target: null });
  });

  it('has an entry with its actor when the origin is not allowed', async () => {
    const tenant = await aTenant(api, { allowedDomains: ['example.com'] });
    await tenant.with({ origin: 'https://other.example' }).refused(path, { domains });
    await eventually(async () => {
      expect(await entries('key_id', tenant.keyId)).toMatchObject([
        { outcome: 'denied', actor: authTokenIdOf(tenant.authToken) },
      ]);
    });
  });

  it('has no entry for an unknown key or an operation that is not audited, and a limited number per address', async () => {
    const tenant = await aTenant(api);
    const wrong = tenant.with({ 'x-svc-auth-token': 'tok_wrong' });
    await wrong.with({ 'x-svc-api-key': freshId('key') }).refused(path, { domains });
    await wrong.refused('/v2/organizations/get', {});
    for (let attempt = 0; attempt < 40; attempt += 1) await wrong.refused(path, { domains });
    await eventually(async () => {
      const found = await entries('key_id', tenant.keyId);
      expect(found.length).toBeGreaterThan(5);
    });
    const [{ written } = { written: '' }] = await api.database.sql<{ written: string }>(
      `select count(*) as written from audit_entry where outcome = 'denied'`,
    );
    expect(Number(written)).toBeLessThan(30);
  });
});
