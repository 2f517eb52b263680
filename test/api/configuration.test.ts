import { generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf, type TestClient } from '../support/client.ts';
import { aDocument, aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const at = (name: string, act: 'get' | 'update') => `/v2/workspace/${name}/${act}`;
const read = async (client: TestClient, name: string) => (await client.ok(at(name, 'get'))).data;
const update = async (client: TestClient, name: string, data: object) =>
  (await client.ok(at(name, 'update'), data)).data;
const refused = (client: TestClient, name: string, data: object) => client.refused(at(name, 'update'), data);

const triggers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, true]));
const basic = triggers(
  'comment_annotation.add',
  'comment.add',
  'comment_annotation.status_change',
  'comment_annotation.assign',
  'comment_annotation.priority_change',
);
const further = {
  ...basic,
  ...triggers('comment.update', 'comment.delete', 'comment.reaction_add', 'comment.reaction_delete'),
};
const huddle = triggers('huddle.create', 'huddle.join');

const defaults = {
  emailconfig: {
    useEmailService: false,
    emailServiceConfig: {
      type: 'default',
      apiKey: '',
      fromEmail: '',
      fromCompany: '',
      commentTemplateId: '',
      tagTemplateId: '',
      triggers: { comment: {}, huddle: {} },
    },
  },
  webhookconfig: {
    useWebhookService: false,
    webhookServiceConfig: {
      authToken: '',
      rawNotificationUrl: '',
      processedNotificationUrl: '',
      publicKey: '',
      encodeData: false,
      encryptData: false,
      enableDataProtection: false,
      triggers: { comment: {}, huddle: {}, crdt: {}, recorder: {} },
    },
  },
  notificationconfig: {
    useNotificationService: false,
    notificationServiceConfig: {
      triggers: { comment: {}, huddle: {} },
      delayConfig: { isEnabled: false, delaySeconds: 10 },
      batchConfig: {
        document: { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 },
        user: { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 },
      },
    },
  },
  activityconfig: {
    activityServiceConfig: { isEnabled: false, immutable: false, enabledTime: null, triggers: {} },
  },
  advancedwebhookconfig: {
    isEnabled: false,
    encryptData: false,
    encodeData: false,
    enableDataProtection: false,
    publicKey: '',
  },
  permissionproviderconfig: {
    usePermissionProvider: false,
    permissionProviderConfig: { permissionProviderUrl: '', authToken: '' },
  },
  apikeyconfig: {
    ownerEmail: 'owner@example.com',
    planInfo: { type: 'self-hosted' },
    isPrivateCommentsEnabled: false,
    requireJwtToken: false,
    requireAutoOrgUser: false,
    defaultDocumentAccessType: 'public',
    defaultFolderAccessType: 'public',
    aiModelsConfig: {},
    aiModelApiKey: [],
  },
};

const names = Object.keys(defaults) as (keyof typeof defaults)[];

describe('a configuration that was never written', () => {
  it.each(names)('returns every member with its default: %s', async (name) => {
    expect(await read(await aTenant(api), name)).toEqual(defaults[name]);
  });

  it.each([
    ['emailconfig', 'Email configuration retrieved successfully.'],
    ['webhookconfig', 'Webhook configuration retrieved successfully.'],
    ['notificationconfig', 'Notification configuration retrieved successfully.'],
    ['activityconfig', 'Activity logs configuration retrieved successfully.'],
    ['advancedwebhookconfig', 'Advanced webhook configuration retrieved successfully.'],
    ['permissionproviderconfig', 'Permission provider configuration retrieved successfully.'],
    ['apikeyconfig', 'API key metadata retrieved successfully.'],
  ])('says so in the words of the wire: %s', async (name, message) => {
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
  ])('of nothing is refused in its own words: %s', async (name, message, empty) => {
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
    const answered = await update(tenant, 'emailconfig', {
      emailServiceConfig: { type: 'sendgrid', triggers: { comment: { 'comment.add': false } } },
    });
    expect(answered).toEqual({
      useEmailService: false,
      emailServiceConfig: {
        ...defaults.emailconfig.emailServiceConfig,
        type: 'sendgrid',
        fromEmail: 'a@example.com',
        apiKey: 'SG.1',
        triggers: { comment: { 'comment.add': false }, huddle: {} },
      },
    });
    expect(await read(tenant, 'emailconfig')).toEqual(answered);
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
    const places = [
      `{"${name}": true}`,
      `{"notificationServiceConfig": {"${name}": true}}`,
      `{"notificationServiceConfig": {"triggers": {"${name}": {}, "comment": {"comment.add": true}}}}`,
    ];
    for (const data of places) {
      const refusal = await tenant.refused(at('notificationconfig', 'update'), undefined, {
        raw: `{"data": ${data}}`,
        headers: { 'content-type': 'application/json' },
      });
      expect([refusal.http, refusal.message]).toEqual([400, expect.stringContaining(`Unknown member: `)]);
      expect(refusal.message).toContain(name);
    }
    expect(await read(tenant, 'notificationconfig')).toEqual(defaults.notificationconfig);
  });

  it('accepts any event name, and returns it as it was sent', async () => {
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

  it('accepts event types of comments in the group comment beside flat ones', async () => {
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

  it('runs once when sent twice under one Idempotency-Key', async () => {
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

describe('the first enable', () => {
  it('seeds the email and notification triggers under those sent', async () => {
    const tenant = await aTenant(api);
    const email = await update(tenant, 'emailconfig', {
      useEmailService: true,
      emailServiceConfig: { triggers: { comment: { 'comment.add': false } } },
    });
    expect(email).toMatchObject({
      emailServiceConfig: {
        type: 'default',
        triggers: { comment: { ...basic, 'comment.add': false }, huddle },
      },
    });
    expect(await update(tenant, 'notificationconfig', { useNotificationService: true })).toEqual({
      useNotificationService: true,
      notificationServiceConfig: {
        ...defaults.notificationconfig.notificationServiceConfig,
        triggers: { comment: basic, huddle },
      },
    });
  });

  it('seeds the webhook and activity triggers', async () => {
    const tenant = await aTenant(api);
    expect(await update(tenant, 'webhookconfig', { useWebhookService: true })).toMatchObject({
      webhookServiceConfig: {
        triggers: {
          comment: {
            ...further,
            'comment_annotation.suggestion_accept': false,
            'comment_annotation.suggestion_reject': false,
          },
          huddle,
          crdt: {},
          recorder: {},
        },
      },
    });
    const before = Date.now();
    const { activityServiceConfig: activity } = (await update(tenant, 'activityconfig', {
      activityServiceConfig: { isEnabled: true },
    })) as { activityServiceConfig: { enabledTime: number } };
    expect(activity).toEqual({
      isEnabled: true,
      immutable: false,
      enabledTime: expect.any(Number),
      triggers: {
        ...further,
        ...triggers('comment_annotation.suggestion_accept', 'comment_annotation.suggestion_reject'),
      },
    });
    expect(activity.enabledTime).toBeGreaterThanOrEqual(before);
    expect(activity.enabledTime).toBeLessThanOrEqual(Date.now());
  });

  it('keeps earlier values, and happens once', async () => {
    const tenant = await aTenant(api);
    const settings = { activityServiceConfig: { enabledTime: 5, triggers: { 'comment.add': false } } };
    await update(tenant, 'activityconfig', settings);
    expect(
      await update(tenant, 'activityconfig', { activityServiceConfig: { isEnabled: true } }),
    ).toMatchObject({
      activityServiceConfig: { enabledTime: 5, triggers: { 'comment.add': false, 'comment.update': true } },
    });
    const off = { 'comment.update': false };
    await update(tenant, 'activityconfig', { activityServiceConfig: { isEnabled: false, triggers: off } });
    expect(
      await update(tenant, 'activityconfig', { activityServiceConfig: { isEnabled: true } }),
    ).toMatchObject({ activityServiceConfig: { triggers: off } });
  });
});

describe('the switches of a key', () => {
  it('take effect with the next request', async () => {
    const tenant = await aTenant(api);
    const add = {
      organizationId: 'acme',
      documentId: 'plan',
      createOrganization: true,
      createDocument: true,
      activities: [
        {
          featureType: 'custom',
          actionType: 'a.b',
          actionUser: { userId: 'u' },
          targetEntityId: 't',
          id: 'x',
        },
      ],
    };
    expect((await tenant.refused('/v2/activities/add', add)).status).toBe('FAILED_PRECONDITION');
    await update(tenant, 'activityconfig', { activityServiceConfig: { isEnabled: true } });
    await tenant.ok('/v2/activities/add', add);
    await update(tenant, 'activityconfig', { activityServiceConfig: { immutable: true } });
    const other = { ...add, activities: [{ ...add.activities[0], targetEntityId: 'other' }] };
    expect((await tenant.refused('/v2/activities/add', other)).message).toBe('Activity logs are immutable.');
  });
});

describe('the default access types of a key', () => {
  it('apply at once to a document without an access type', async () => {
    const tenant = await aTenant(api);
    const document = await aDocument(tenant);
    const accessType = async () => {
      const { organizationId, documentId } = document;
      const asked = { organizationId, documentIds: [documentId] };
      const { data } = await tenant.ok<{ accessType: string }[]>('/v2/organizations/documents/get', asked);
      return data[0]?.accessType;
    };
    expect(await accessType()).toBe('public');
    await update(tenant, 'apikeyconfig', { defaultDocumentAccessType: 'restricted' });
    expect(await accessType()).toBe('restricted');
  });
});

describe('advanced webhooks', () => {
  const publicKey = (bits: number, type: 'spki' | 'pkcs1', format: 'der' | 'pem') => {
    const { publicKey: key } = generateKeyPairSync('rsa', { modulusLength: bits });
    return format === 'pem'
      ? key.export({ type, format }).toString()
      : key.export({ type, format }).toString('base64');
  };

  it('refuse every update before the first enable', async () => {
    const tenant = await aTenant(api);
    for (const data of [{ isEnabled: false }, { encodeData: true }]) {
      expect(await refused(tenant, 'advancedwebhookconfig', data)).toMatchObject({
        http: 400,
        status: 'FAILED_PRECONDITION',
        message:
          'Advanced webhooks are not configured for this workspace. Enable them first via POST /v2/workspace/advancedwebhookconfig/update with { "isEnabled": true }.',
      });
    }
    expect(await read(tenant, 'advancedwebhookconfig')).toEqual(defaults.advancedwebhookconfig);
    const result = await tenant.ok(at('advancedwebhookconfig', 'update'), {
      isEnabled: true,
      encodeData: true,
    });
    expect(result.message).toBe('Advanced webhook configuration updated successfully.');
    expect(result.data).toEqual({ ...defaults.advancedwebhookconfig, isEnabled: true, encodeData: true });
  });

  it('keep every other member when turned off, and accept changes while off', async () => {
    const tenant = await aTenant(api);
    await update(tenant, 'advancedwebhookconfig', { isEnabled: true, encodeData: true });
    await update(tenant, 'advancedwebhookconfig', { isEnabled: false });
    expect(await update(tenant, 'advancedwebhookconfig', { enableDataProtection: true })).toEqual({
      ...defaults.advancedwebhookconfig,
      encodeData: true,
      enableDataProtection: true,
    });
  });

  it('accept an RSA key of 2,048 bits as PEM or DER', async () => {
    const tenant = await aTenant(api);
    await update(tenant, 'advancedwebhookconfig', { isEnabled: true, encryptData: true });
    for (const type of ['spki', 'pkcs1'] as const) {
      for (const format of ['der', 'pem'] as const) {
        const key = publicKey(2_048, type, format);
        expect(await update(tenant, 'advancedwebhookconfig', { publicKey: key })).toMatchObject({
          publicKey: key,
        });
      }
    }
  });

  it('refuse a key that cannot encrypt when encryption is on', async () => {
    const tenant = await aTenant(api);
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const secret = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const bad = [
      'not a key',
      publicKey(1_024, 'spki', 'der'),
      elliptic.export({ type: 'spki', format: 'der' }).toString('base64'),
      secret.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ];
    await update(tenant, 'advancedwebhookconfig', { isEnabled: true });
    for (const key of bad) {
      const refusal = await refused(tenant, 'advancedwebhookconfig', { encryptData: true, publicKey: key });
      expect(issuesOf(refusal)).toEqual({
        'data.publicKey': 'publicKey must be an RSA public key of at least 2048 bits.',
      });
      expect(await update(tenant, 'advancedwebhookconfig', { publicKey: key })).toMatchObject({
        publicKey: key,
      });
      expect((await refused(tenant, 'advancedwebhookconfig', { encryptData: true })).message).toBe(
        'publicKey must be an RSA public key of at least 2048 bits.',
      );
    }
    expect(await update(tenant, 'advancedwebhookconfig', { encryptData: true, publicKey: '' })).toMatchObject(
      { encryptData: true, publicKey: '' },
    );
  });
});

describe('the permission provider', () => {
  it('returns a warning in update and get while on without a URL', async () => {
    const tenant = await aTenant(api);
    const on = await update(tenant, 'permissionproviderconfig', { usePermissionProvider: true });
    expect(on).toEqual({
      ...defaults.permissionproviderconfig,
      usePermissionProvider: true,
      warning: expect.stringContaining('refused until it is set'),
    });
    expect(await read(tenant, 'permissionproviderconfig')).toEqual(on);
    const permissionProviderUrl = 'http://10.0.0.1/check';
    await update(tenant, 'permissionproviderconfig', { permissionProviderConfig: { authToken: 'secret' } });
    expect(
      await update(tenant, 'permissionproviderconfig', {
        permissionProviderConfig: { permissionProviderUrl },
      }),
    ).toEqual({
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl, authToken: 'secret' },
    });
  });

  it.each([
    'example.com',
    'ftp://example.com',
    'http://',
    'https://user:password@example.com',
    'https://user@example.com',
    'https://example.com/#part',
    'https://example.com/#',
    'http:example.com',
    ' https://example.com',
    `https://example.com/${'a'.repeat(2_048)}`,
  ])('refuses the URL %.40s', async (permissionProviderUrl) => {
    const refusal = await refused(await aTenant(api), 'permissionproviderconfig', {
      permissionProviderConfig: { permissionProviderUrl },
    });
    expect([refusal.http, refusal.message]).toEqual([400, 'Please enter a valid URL']);
  });
});

describe('the key’s own settings', () => {
  it('return AI provider keys masked, and remove them', async () => {
    const tenant = await aTenant(api);
    const answered = await update(tenant, 'apikeyconfig', {
      requireJwtToken: true,
      enablePrivateComments: true,
      defaultFolderAccessType: 'restricted',
      aiModelApiKey: [
        { provider: 'openai', customerApiKey: 'sk-openai-secret' },
        { provider: 'gemini', customerApiKey: 'gm-gemini-secret' },
      ],
    });
    expect(answered).toEqual({
      ...defaults.apikeyconfig,
      requireJwtToken: true,
      isPrivateCommentsEnabled: true,
      defaultFolderAccessType: 'restricted',
      aiModelsConfig: { openai: { displayText: 'sk-o...xxxx' }, gemini: { displayText: 'gm-g...xxxx' } },
      aiModelApiKey: [
        { provider: 'openai', customerApiKey: 'sk-o...xxxx' },
        { provider: 'gemini', customerApiKey: 'gm-g...xxxx' },
      ],
    });
    const after = await update(tenant, 'apikeyconfig', {
      aiModelApiKey: [{ provider: 'openai', customerApiKey: '' }],
    });
    expect(after).toMatchObject({ aiModelApiKey: [{ provider: 'gemini', customerApiKey: 'gm-g...xxxx' }] });
    expect(await read(tenant, 'apikeyconfig')).toEqual(after);
  });

  it('refuse a masked value as a key', async () => {
    const refusal = await refused(await aTenant(api), 'apikeyconfig', {
      aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-o...xxxx' }],
    });
    expect(issuesOf(refusal)).toEqual({
      'data.aiModelApiKey[0].customerApiKey': 'customerApiKey must not be a masked value.',
    });
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
       from key_config where api_key_id = $1`,
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
