import { z } from 'zod';
import type { Change } from '../../domain/configuration/change.ts';
import type { ConfigurationKind } from '../../domain/configuration/kind.ts';
import { apiKeyKind } from '../../domain/configuration/kinds/api-key.ts';
import { emailKind } from '../../domain/configuration/kinds/email.ts';
import { notificationKind } from '../../domain/configuration/kinds/notification.ts';
import { webhookKind } from '../../domain/webhooks/basic/webhook-kind.ts';
import { changesSomething } from '../../domain/configuration/change.ts';
import { updateConfiguration } from '../../domain/configuration/update-configuration.ts';
import { localHosts, maxDomains } from '../../domain/workspaces/allowed-domains.ts';
import { authTokenIdOf, keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { apiKeyTypes } from '../../domain/workspaces/api-key.entity.ts';
import { createApiKey as create } from '../../domain/workspaces/create-api-key.ts';
import { emailUpdate } from '../configuration/email.ts';
import { flag } from '../configuration/members.ts';
import { webhookUpdate } from '../configuration/webhook.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint, type Work } from '../http/endpoint.ts';
import { email, text } from '../schemas.ts';
import { domainList } from './domains.ts';

/** Checked for type and otherwise ignored: compatible clients send them. */
const withoutEffect = {
  persistenceDBRegion: z.string().optional().describe('Accepted for compatibility; has no effect.'),
  realtimeDBRegion: z.string().optional().describe('Accepted for compatibility; has no effect.'),
  planInfo: z.looseObject({}).optional().describe('Accepted for compatibility; has no effect.'),
  customPlanInfo: z.boolean().optional().describe('Accepted for compatibility; has no effect.'),
  customPlanInfoData: z.looseObject({}).optional().describe('Accepted for compatibility; has no effect.'),
  workspaceId: z.string().optional().describe('Accepted for compatibility; has no effect.'),
  isSuperWorkspace: z.boolean().optional().describe('Accepted for compatibility; has no effect.'),
  platform: z.string().optional().describe('Accepted for compatibility; has no effect.'),
};

const data = z
  .strictObject({
    ownerEmail: email.describe('E-mail address of the owner of the key, max 254 characters.'),
    type: z.enum(apiKeyTypes).describe('Use of the key. Steward only stores it.'),
    apiKeyName: text(200)
      .min(1)
      .optional()
      .describe('Name of the key, 1 to 200 characters. Absent: derived from the e-mail address.'),
    createAuthToken: z.boolean().default(true).describe('False creates the key without an auth token.'),
    allowedDomains: domainList.optional(),
    addLocalHostToAllowedDomains: z
      .boolean()
      .default(false)
      .describe('True also allows `localhost` and `127.0.0.1`.'),
    ...emailUpdate,
    ...webhookUpdate,
    useNotificationService: flag.describe('True turns notifications on.'),
    setDefaultNotificationTriggers: z
      .boolean()
      .default(true)
      .describe('False leaves the triggers of notifications empty.'),
    setDefaultEmailTriggers: z.boolean().default(true).describe('False leaves the triggers of e-mail empty.'),
    requireAutoOrgUser: flag.describe(
      'Whether users are added to the organization automatically. Stored for your own use.',
    ),
    enablePrivateComments: flag.describe('Whether annotations may have a visibility other than `public`.'),
    ...withoutEffect,
  })
  .superRefine((sent, context) => {
    // `domainList` has refused more than the max without those of addLocalHostToAllowedDomains.
    const count = domainsOf(sent).length;
    if (count > maxDomains) {
      const most = `<m> must hold at most ${String(maxDomains)} items`;
      const message = `${most} with those that addLocalHostToAllowedDomains adds, not ${String(count)}.`;
      context.addIssue({ code: 'custom', path: ['allowedDomains'], message });
    }
  });

type Sent = z.output<typeof data>;

function domainsOf({
  allowedDomains = [],
  addLocalHostToAllowedDomains,
}: Pick<Sent, 'allowedDomains' | 'addLocalHostToAllowedDomains'>): string[] {
  return [...new Set([...allowedDomains, ...(addLocalHostToAllowedDomains ? localHosts : [])])];
}

export const createApiKey = endpoint({
  paths: ['/v2/workspace/apikey/create'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.create' },
  summary:
    'Creates an API key, which is a separate tenant, and an auth token unless `createAuthToken` is false.',
  description:
    'Nothing of one key is visible through another. Services that are sent are stored as by the update ' +
    'operations of the configuration. Key and token can be read again with `/v2/workspace/apikeys/get` ' +
    'and `/v2/workspace/authtokens/get`. Without an `Idempotency-Key`, a repeated call creates another ' +
    'key. The audit log records the call, without secrets.',
  data,
  response: dataResponse(
    z.strictObject({
      apiKey: z.string().describe('The API key: a secret.'),
      authToken: z
        .string()
        .optional()
        .describe('Auth token of the key: a secret. Absent when `createAuthToken` is false.'),
    }),
  ),
  errors: [],
  example: {
    ownerEmail: 'owner@example.com',
    type: 'testing',
    apiKeyName: 'Staging',
    useNotificationService: true,
  },
  async handle({ data: sent, workspace }, work) {
    const { ownerEmail, type, apiKeyName, createAuthToken } = sent;
    const { id, apiKey, authToken } = await create(work.em, work.keyRing, workspace.id, {
      ownerEmail,
      type,
      apiKeyName,
      createAuthToken,
      allowedDomains: domainsOf(sent),
    });
    const services = servicesOf(sent);
    const { email, webhook, notification, ofKey } = services;
    work.audit.target(keyIdOf(apiKey));
    const created = {
      apiKeyName: apiKeyName ?? null,
      type,
      ownerEmail,
      allowedDomains: domainsOf(sent),
      authToken: authToken === undefined ? null : authTokenIdOf(authToken),
      ...email,
      ...webhook,
      ...notification,
      ...ofKey,
    };
    work.audit.changed(null, created, [...emailKind.secrets, ...webhookKind.secrets]);
    await storeServices(work, id, services, sent);
    return succeeded('API key created successfully.', { apiKey, authToken });
  },
});

/** The members of the configurations of the new key that are sent. */
function servicesOf(sent: Sent) {
  const { useEmailService, emailServiceConfig, useWebhookService, webhookServiceConfig } = sent;
  const { useNotificationService, requireAutoOrgUser, enablePrivateComments } = sent;
  return {
    email: { useEmailService, emailServiceConfig },
    webhook: { useWebhookService, webhookServiceConfig },
    notification: { useNotificationService },
    ofKey: { requireAutoOrgUser, enablePrivateComments },
  };
}

/** Stores the services sent as configurations, like updates of the new key would. */
async function storeServices(
  { em, keyRing }: Work,
  keyId: string,
  { email, webhook, notification, ofKey }: ReturnType<typeof servicesOf>,
  sent: Sent,
): Promise<void> {
  const store = async <Config extends object>(
    kind: ConfigurationKind<Config>,
    change: Change<Config>,
    seeds = true,
  ): Promise<void> => {
    if (changesSomething(change))
      await updateConfiguration(em, keyRing, keyId, { kind, change, seedsOnEnable: seeds });
  };
  await store(emailKind, email, sent.setDefaultEmailTriggers);
  await store(webhookKind, webhook);
  await store(notificationKind, notification, sent.setDefaultNotificationTriggers);
  await store(apiKeyKind, ofKey);
}
