import { z } from 'zod';
import { advancedWebhookKind } from '../../domain/configuration/kinds/advanced-webhook.ts';
import { waitingEndpoints } from '../../domain/webhooks/endpoints/waiting-endpoints.ts';
import { requestApplication } from '../../domain/webhooks/provisioning/request-application.ts';
import { configurationOperations, textsOf } from './configuration.ts';
import { flag, publicKeyText } from './members.ts';

export const advancedWebhookConfiguration = configurationOperations({
  kind: advancedWebhookKind,
  path: 'advancedwebhookconfig',
  summaries: {
    get: 'Reads whether advanced webhooks are on and how their payloads are protected.',
    update:
      'Turns advanced webhooks on or off and changes how their payloads are protected. The first time a job makes the key known to whoever serves them.',
  },
  messages: textsOf('Advanced webhook'),
  nothing:
    'At least one of isEnabled, encryptData, encodeData, publicKey or enableDataProtection must be provided.',
  update: z.strictObject({
    isEnabled: flag.describe('Must be true in the first update.'),
    encryptData: flag,
    encodeData: flag,
    enableDataProtection: flag,
    publicKey: publicKeyText
      .optional()
      .describe('An RSA public key of at least 2,048 bits: base64 of its DER (SPKI or PKCS#1), or PEM.'),
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
  async written({ isEnabled }, tenant, { em, webhooks, startJob, wakeEndpoint }) {
    const job = isEnabled ? await requestApplication(em, tenant, webhooks.name) : undefined;
    if (job !== undefined) startJob(job);
    // What was held, or waited for webhooks to be on again, may go now.
    for (const endpointId of await waitingEndpoints(em, tenant.id))
      wakeEndpoint({ keyId: tenant.keyId, endpointId });
  },
  toChange: (sent) => sent,
  view: (config) => config,
});
