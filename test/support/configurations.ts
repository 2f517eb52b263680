import type { TestClient } from './client.ts';

/** Calls and values for tests of configurations. */
export const at = (name: string, act: 'get' | 'update') => `/v2/workspace/${name}/${act}`;
export const read = async (client: TestClient, name: string) => (await client.ok(at(name, 'get'))).data;
export const update = async (client: TestClient, name: string, data: object) =>
  (await client.ok(at(name, 'update'), data)).data;
export const refused = (client: TestClient, name: string, data: object) =>
  client.refused(at(name, 'update'), data);

export const triggers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, true]));
export const basic = triggers(
  'comment_annotation.add',
  'comment.add',
  'comment_annotation.status_change',
  'comment_annotation.assign',
  'comment_annotation.priority_change',
);
export const further = {
  ...basic,
  ...triggers('comment.update', 'comment.delete', 'comment.reaction_add', 'comment.reaction_delete'),
};
export const huddle = triggers('huddle.create', 'huddle.join');

export const defaults = {
  emailconfig: {
    useEmailService: false,
    emailServiceConfig: {
      type: 'default',
      apiKey: '',
      fromEmail: '',
      fromCompany: '',
      commentTemplateId: '',
      tagTemplateId: '',
      replyTo: '',
      linkTemplate: '',
      includeContent: true,
      eventPublicKey: '',
      triggers: { comment: {}, huddle: {} },
    },
    state: { status: 'held', reason: 'smtp-not-configured', since: null },
    eventUrl: null,
  },
  slackconfig: {
    useSlackService: false,
    slackServiceConfig: {
      botToken: '',
      linkTemplate: '',
      includeContent: true,
      triggers: { comment: {}, huddle: {} },
    },
    state: { status: 'held', reason: 'token-missing', since: null },
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

export const names = Object.keys(defaults) as (keyof typeof defaults)[];
