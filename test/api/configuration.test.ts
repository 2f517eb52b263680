import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { at, defaults, names, read, refused, triggers, update } from '../support/configurations.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

describe('a configuration that was never written', () => {
  it.each(names)('returns every member with its default: %s', async (name) => {
    expect(await read(await aTenant(api), name)).toEqual(defaults[name]);
  });

  it.each([
    ['emailconfig', 'Email configuration retrieved successfully.'],
    ['slackconfig', 'Slack configuration retrieved successfully.'],
    ['webhookconfig', 'Webhook configuration retrieved successfully.'],
    ['notificationconfig', 'Notification configuration retrieved successfully.'],
    ['activityconfig', 'Activity logs configuration retrieved successfully.'],
    ['advancedwebhookconfig', 'Advanced webhook configuration retrieved successfully.'],
    ['permissionproviderconfig', 'Permission provider configuration retrieved successfully.'],
    ['apikeyconfig', 'API key metadata retrieved successfully.'],
  ])('responds with the fixed message: %s', async (name, message) => {
    expect((await (await aTenant(api)).ok(at(name, 'get'))).message).toBe(message);
  });

  it('is not returned to the holder of another key', async () => {
    const tenant = await aTenant(api);
    const stranger = tenant.with({ 'x-svc-auth-token': 'tok_wrong' });
    for (const name of names) {
      const refusal = await stranger.refused(at(name, 'get'));
      expect([refusal.http, refusal.status, refusal.message]).toEqual([
        403,
        'PERMISSION_DENIED',
        'Invalid API key.',
      ]);
    }
  });
});

describe('an update', () => {
  it.each([
    ['emailconfig', 'Invalid email service configuration.', { emailServiceConfig: {} }],
    ['slackconfig', 'Invalid slack service configuration.', { slackServiceConfig: {} }],
    ['webhookconfig', 'Invalid webhook service configuration.', { webhookServiceConfig: {} }],
    [
      'notificationconfig',
      'At least one of useNotificationService or notificationServiceConfig must be provided',
      { notificationServiceConfig: {} },
    ],
    ['activityconfig', 'At least one field must be provided for update', { activityServiceConfig: {} }],
    [
      'advancedwebhookconfig',
      'At least one of isEnabled, encryptData, encodeData, publicKey or enableDataProtection must be provided.',
      {},
    ],
    [
      'permissionproviderconfig',
      'At least one of usePermissionProvider or permissionProviderConfig must be provided',
      { permissionProviderConfig: {} },
    ],
    ['apikeyconfig', 'At least one field must be provided for update', {}],
  ])('without a member is refused with the operation’s own message: %s', async (name, message, empty) => {
    const tenant = await aTenant(api);
    for (const data of [{}, empty]) {
      expect(await refused(tenant, name, data)).toMatchObject({
        http: 400,
        status: 'INVALID_ARGUMENT',
        message,
      });
    }
    expect(await api.database.sql('select from key_config where api_key_id = $1', [tenant.id])).toEqual([]);
  });

  it('changes the members sent, keeps the others, and returns the same value as get', async () => {
    const tenant = await aTenant(api);
    await update(tenant, 'emailconfig', {
      emailServiceConfig: { fromEmail: 'a@example.com', apiKey: 'SG.1' },
    });
    const updated = await update(tenant, 'emailconfig', {
      emailServiceConfig: { type: 'sendgrid', triggers: { comment: { 'comment.add': false } } },
    });
    expect(updated).toEqual({
      useEmailService: false,
      emailServiceConfig: {
        ...defaults.emailconfig.emailServiceConfig,
        type: 'sendgrid',
        fromEmail: 'a@example.com',
        apiKey: 'SG.1',
        triggers: { comment: { 'comment.add': false }, huddle: {} },
      },
      state: { status: 'ok', reason: null, since: null },
      eventUrl: null,
    });
    expect(await read(tenant, 'emailconfig')).toEqual(updated);
    expect(await read(await aTenant(api), 'emailconfig')).toEqual(defaults.emailconfig);
  });

  it('survives 49 concurrent updates of other members', async () => {
    const tenant = await aTenant(api);
    const events = Array.from({ length: 50 }, (_, number) => `custom.event_${String(number)}`);
    await Promise.all(
      events.map((event) =>
        update(tenant, 'notificationconfig', {
          notificationServiceConfig: { triggers: { comment: { [event]: true } } },
        }),
      ),
    );
    expect(await read(tenant, 'notificationconfig')).toMatchObject({
      notificationServiceConfig: { triggers: { comment: triggers(...events) } },
    });
    const [stored] = await api.database.sql<{ version: number }>(
      'select version from key_config where api_key_id = $1',
      [tenant.id],
    );
    expect(stored?.version).toBe(50);
  });

  it('names every invalid or unknown member and its range, and writes nothing', async () => {
    const tenant = await aTenant(api);
    const refusal = await refused(tenant, 'notificationconfig', {
      useNotificationService: 'yes',
      notificationServiceConfig: {
        delayConfig: { delaySeconds: 9, delay: 1 },
        batchConfig: { document: { batchWindowSeconds: 604_801 }, user: { maxActivities: 2.5 } },
        triggers: { comment: { 'comment.add': 1 }, huddle: null },
      },
      useEmailService: true,
    });
    expect(issuesOf(refusal)).toEqual({
      'data.useNotificationService': 'useNotificationService must be a boolean.',
      'data.notificationServiceConfig.delayConfig.delaySeconds':
        'notificationServiceConfig.delayConfig.delaySeconds must be an integer from 10 to 15552000.',
      'data.notificationServiceConfig.delayConfig.delay':
        'Unknown member: notificationServiceConfig.delayConfig.delay.',
      'data.notificationServiceConfig.batchConfig.document.batchWindowSeconds':
        'notificationServiceConfig.batchConfig.document.batchWindowSeconds must be an integer from 10 to 604800.',
      'data.notificationServiceConfig.batchConfig.user.maxActivities':
        'notificationServiceConfig.batchConfig.user.maxActivities must be an integer from 2 to 50.',
      'data.notificationServiceConfig.triggers.comment["comment.add"]':
        'notificationServiceConfig.triggers.comment["comment.add"] must be a boolean.',
      'data.notificationServiceConfig.triggers.huddle':
        'notificationServiceConfig.triggers.huddle must not be null.',
      'data.useEmailService': 'Unknown member: useEmailService.',
    });
    expect(await read(tenant, 'notificationconfig')).toEqual(defaults.notificationconfig);
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuses %s as the name of an option', async (name) => {
    const tenant = await aTenant(api);
    const locations = [
      `{"${name}": true}`,
      `{"notificationServiceConfig": {"${name}": true}}`,
      `{"notificationServiceConfig": {"triggers": {"${name}": {}, "comment": {"comment.add": true}}}}`,
    ];
    for (const data of locations) {
      const refusal = await tenant.refused(at('notificationconfig', 'update'), undefined, {
        raw: `{"data": ${data}}`,
        headers: { 'content-type': 'application/json' },
      });
      expect([refusal.http, refusal.message]).toEqual([400, expect.stringContaining(`Unknown member: `)]);
      expect(refusal.message).toContain(name);
    }
    expect(await read(tenant, 'notificationconfig')).toEqual(defaults.notificationconfig);
  });

  it('accepts any event name, and returns it as sent', async () => {
    const tenant = await aTenant(api);
    const names = [
      'constructor',
      'toString',
      'hasOwnProperty',
      'valueOf',
      ' padded ',
      '🎉',
      'a/b%"c',
      '\u2028',
      'n'.repeat(200),
    ];
    const sent = { activityServiceConfig: { triggers: triggers(...names) } };
    expect(await update(tenant, 'activityconfig', sent)).toMatchObject(sent);
    expect(await read(tenant, 'activityconfig')).toMatchObject(sent);
    for (const name of ['', 'n'.repeat(201)]) {
      const refusal = await refused(tenant, 'activityconfig', {
        activityServiceConfig: { triggers: triggers(name) },
      });
      expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    }
  });

  it('accepts event types of comments both in the group comment and as flat members', async () => {
    const tenant = await aTenant(api);
    const comment = { 'comment.add': false, constructor: true, toString: false };
    const grouped = { triggers: { 'comment.update': true, comment } };
    await update(tenant, 'activityconfig', { activityServiceConfig: grouped });
    await update(tenant, 'activityconfig', {
      activityServiceConfig: { isEnabled: true, triggers: { comment: { 'comment.delete': true } } },
    });
    expect(await read(tenant, 'activityconfig')).toMatchObject({
      activityServiceConfig: {
        triggers: {
          'comment.add': true,
          'comment.update': true,
          comment: { ...comment, 'comment.delete': true },
        },
      },
    });
    await update(tenant, 'activityconfig', { activityServiceConfig: { triggers: { comment: true } } });
    expect(await read(tenant, 'activityconfig')).toMatchObject({
      activityServiceConfig: { triggers: { 'comment.update': true, comment: true } },
    });
  });

  it.each([
    ['a group of another name', { huddle: { 'huddle.join': true } }, 'huddle must be a boolean.'],
    ['a list as the group', { comment: [] }, 'comment must be a boolean, or map event types'],
    ['a group that holds anything but booleans', { comment: { a: 1 } }, 'comment must be a boolean, or map'],
    ['null as the group', { comment: null }, 'comment must not be null.'],
    ['a name that is empty', { '': true }, 'must be the name of an event type: 1 to 200 characters.'],
  ])('refuses %s among the triggers of activity logs', async (_what, triggers, message) => {
    const tenant = await aTenant(api);
    const refusal = await refused(tenant, 'activityconfig', { activityServiceConfig: { triggers } });
    expect([refusal.http, refusal.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('keeps a map of triggers within 16 KiB', async () => {
    const tenant = await aTenant(api);
    const many = (prefix: string) =>
      Object.fromEntries(
        Array.from({ length: 150 }, (_, number) => [`${prefix}${String(number)}`.padEnd(100), true]),
      );
    await update(tenant, 'activityconfig', { activityServiceConfig: { triggers: many('a') } });
    const refusal = await refused(tenant, 'activityconfig', {
      activityServiceConfig: { triggers: many('b') },
    });
    expect([refusal.http, refusal.message]).toEqual([400, 'A configuration must hold at most 16 KiB.']);
  });

  it('runs once when sent twice with the same Idempotency-Key', async () => {
    const tenant = await aTenant(api);
    const send = () =>
      tenant.call(
        at('activityconfig', 'update'),
        { activityServiceConfig: { isEnabled: true } },
        { idempotencyKey: 'once' },
      );
    const [first, second] = [await send(), await send()];
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });
});

describe('secrets in configurations', () => {
  it('are encrypted in one column of the database, and returned decrypted to their API key only', async () => {
    const tenant = await aTenant(api);
    await update(tenant, 'emailconfig', { emailServiceConfig: { apiKey: 'secret-email' } });
    await update(tenant, 'webhookconfig', { webhookServiceConfig: { authToken: 'secret-webhook' } });
    await update(tenant, 'permissionproviderconfig', {
      permissionProviderConfig: { authToken: 'secret-provider' },
    });
    await update(tenant, 'apikeyconfig', {
      aiModelApiKey: [{ provider: 'anthropic', customerApiKey: 'secret-anthropic' }],
    });
    const stored = await api.database.sql<{ config: string; sealed: string; has: boolean }>(
      `select config::text, encode(secrets_enc, 'escape') as sealed, secrets_enc is not null as has
       from key_config where api_key_id = $1 and kind <> 'emailsending'`,
      [tenant.id],
    );
    expect(stored.map(({ has }) => has)).toEqual([true, true, true, true]);
    expect(JSON.stringify(stored)).not.toContain('secret-');
    expect(api.log.join('\n')).not.toContain('secret-');
    expect(await read(tenant, 'webhookconfig')).toMatchObject({
      webhookServiceConfig: { authToken: 'secret-webhook' },
    });
  });
});
