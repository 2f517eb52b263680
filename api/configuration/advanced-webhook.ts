import { z } from 'zod';
import { advancedWebhookKind } from '../../domain/configuration/kinds/advanced-webhook.ts';
import { waitingEndpoints } from '../../domain/webhooks/endpoints/waiting-endpoints.ts';
import { requestApplication } from '../../domain/webhooks/provisioning/request-application.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, publicKeyText } from './members.ts';

export const advancedWebhookConfiguration = configurationOperations({
  kind: advancedWebhookKind,
  path: 'advancedwebhookconfig',
  summaries: {
    get: 'Returns whether advanced webhooks are on, and the protection of their payloads.',
    update:
      'Turns advanced webhooks on or off and changes the protection of their payloads. The first update starts a job that registers the API key with the webhook provider.',
  },
  messages: configurationMessages('Advanced webhook'),
  emptyUpdateMessage:
    'At least one of isEnabled, encryptData, encodeData, publicKey or enableDataProtection must be provided.',
  update: z.strictObject({
    isEnabled: flag.describe('Must be true in the first update.'),
    encryptData: flag,
    encodeData: flag,
    enableDataProtection: flag,
    publicKey: publicKeyText
      .optional()
      .describe('An RSA public key, min 2,048 bits, as PEM or base64 of DER (SPKI or PKCS#1).'),
  }),
  example: { isEnabled: true, encodeData: true },
  errors: ['FAILED_PRECONDITION'],
  response: z.strictObject({
    isEnabled: z.boolean(),
    encryptData: z.boolean(),
    encodeData: z.boolean(),
    enableDataProtection: z.boolean(),
    publicKey: z.string(),
  }),
  async afterWrite({ isEnabled }, tenant, { em, webhooks, startJob, wakeEndpoint }) {
    const job = isEnabled ? await requestApplication(em, tenant, webhooks.name) : undefined;
    if (job !== undefined) startJob(job);
    // Messages that were held, or waited while webhooks were off, can be delivered now.
    for (const endpointId of await waitingEndpoints(em, tenant.id))
      wakeEndpoint({ keyId: tenant.keyId, endpointId });
  },
  toChange: (sent) => sent,
  view: (config) => config,
});
