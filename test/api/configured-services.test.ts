import { generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import {
  at,
  basic,
  defaults,
  further,
  huddle,
  read,
  refused,
  triggers,
  update,
} from '../support/configurations.ts';
import { aDocument, aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

describe('the first enable', () => {
  it('adds the default e-mail and notification triggers below the sent ones', async () => {
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

  it('adds the default webhook and activity triggers', async () => {
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
      const request = { organizationId, documentIds: [documentId] };
      const { data } = await tenant.ok<{ accessType: string }[]>('/v2/organizations/documents/get', request);
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
});

describe.each<[member: string, config: string, of: (url: string) => object]>([
  [
    'permissionProviderUrl',
    'permissionproviderconfig',
    (permissionProviderUrl) => ({ permissionProviderConfig: { permissionProviderUrl } }),
  ],
  [
    'rawNotificationUrl',
    'webhookconfig',
    (rawNotificationUrl) => ({ webhookServiceConfig: { rawNotificationUrl } }),
  ],
  [
    'processedNotificationUrl',
    'webhookconfig',
    (processedNotificationUrl) => ({ webhookServiceConfig: { processedNotificationUrl } }),
  ],
])('%s', (_member, config, of) => {
  it.each([
    'example.com',
    'ftp://example.com',
    'http://',
    'https://user:password@example.com',
    'https://user@example.com',
    'https://@example.com',
    'HTTPS://:@example.com/a@b',
    'https://example.com/#part',
    'https://example.com/#',
    'http:example.com',
    'http://example.com:0',
    'http://example..com',
    ' https://example.com',
    `https://example.com/${'a'.repeat(2_048)}`,
  ])('is refused with the URL %.40s', async (url) => {
    const refusal = await refused(await aTenant(api), config, of(url));
    expect([refusal.http, refusal.message]).toEqual([400, 'Please enter a valid URL']);
  });

  it.each(['', 'https://example.com/a?b=c@d'])('is accepted with %j', async (url) => {
    expect(await update(await aTenant(api), config, of(url))).toMatchObject(of(url));
  });
});

describe.each([
  ['webhookconfig', 'webhookServiceConfig'],
  ['permissionproviderconfig', 'permissionProviderConfig'],
])('the token of %s', (config, member) => {
  it.each(['secret\n', 'a\rb', '€', '\u007f', '🔑'])(
    'is refused where no header can contain it: %j',
    async (authToken) => {
      const refusal = await refused(await aTenant(api), config, { [member]: { authToken } });
      expect(issuesOf(refusal)).toEqual({
        [`data.${member}.authToken`]: `${member}.authToken must hold only characters of headers: printable ASCII, tabs, and U+0080 to U+00FF.`,
      });
    },
  );

  it.each(['', ' a\tb~', 'clé', 'ÿ'.repeat(1_000)])('is accepted otherwise: %.10j', async (authToken) => {
    const sent = { [member]: { authToken } };
    expect(await update(await aTenant(api), config, sent)).toMatchObject(sent);
  });
});

describe('the key’s own settings', () => {
  it('return AI provider keys masked, and remove them', async () => {
    const tenant = await aTenant(api);
    const updated = await update(tenant, 'apikeyconfig', {
      requireJwtToken: true,
      enablePrivateComments: true,
      defaultFolderAccessType: 'restricted',
      aiModelApiKey: [
        { provider: 'openai', customerApiKey: 'sk-openai-secret' },
        { provider: 'gemini', customerApiKey: 'gm-gemini-secret' },
      ],
    });
    expect(updated).toEqual({
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
