import { z } from 'zod';
import { advancedWebhookKind } from '../../domain/configuration/kinds/advanced-webhook.ts';
import { areSent } from '../../domain/webhooks/delivery/payload.ts';
import { restartFailingTime } from '../../domain/webhooks/endpoints/restart-failing-time.ts';
import { waitForClaims } from '../../domain/webhooks/endpoints/wait-for-claims.ts';
import { waitingEndpoints } from '../../domain/webhooks/endpoints/waiting-endpoints.ts';
import { servedKinds } from '../../domain/webhooks/provider.ts';
import { requestApplication } from '../../domain/webhooks/provisioning/request-application.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, publicKeyText } from './members.ts';

export const advancedWebhookConfiguration = configurationOperations({
  kind: advancedWebhookKind,
  path: 'advancedwebhookconfig',
  summaries: {
    get: 'Returns whether advanced webhooks are on, and how payloads are protected.',
    update: 'Turns advanced webhooks on or off and changes how payloads are protected.',
  },
  descriptions: {
    get: 'Returns every field, with defaults before the first update.',
    update:
      'Fields that are not sent keep their value. The first update must have `isEnabled: true`, else it ' +
      'fails with `FAILED_PRECONDITION`. The first update starts a job that registers the API key with the ' +
      'webhook provider. Events that occur while advanced webhooks are off are not recorded. Endpoints work ' +
      'at once, or, when Svix delivers the messages, after the job; they return `UNAVAILABLE` until then. ' +
      '`encryptData` without a usable `publicKey` holds all deliveries until one is sent. An update without a ' +
      'known field, or an invalid `publicKey`, fails with `INVALID_ARGUMENT`. The audit log records the ' +
      'call.',
  },
  messages: configurationMessages('Advanced webhook'),
  emptyUpdateMessage:
    'At least one of isEnabled, encryptData, encodeData, publicKey or enableDataProtection must be provided.',
  update: z.strictObject({
    isEnabled: flag.describe('Must be true in the first update.'),
    encryptData: flag.describe(
      'True encrypts the body of each message with AES-256-CBC, and its key with `publicKey` by RSA-OAEP with SHA-256.',
    ),
    encodeData: flag.describe(
      'True sends the body of each message as base64 in `encodedPayload`. Encryption takes precedence.',
    ),
    enableDataProtection: flag.describe(
      'True removes every text except ids, types, states and times from messages, even texts that their schemas require.',
    ),
    publicKey: publicKeyText
      .optional()
      .describe(
        'An RSA public key of 2,048 to 8,192 bits with an exponent of at most 2^32, as PEM or base64 of DER ' +
          '(SPKI or PKCS#1).',
      ),
  }),
  example: { isEnabled: true, encodeData: true },
  errors: ['FAILED_PRECONDITION'],
  response: z
    .strictObject({
      isEnabled: z.boolean().describe('Whether advanced webhooks are on.'),
      encryptData: z.boolean().describe('Whether the body of each message is encrypted.'),
      encodeData: z.boolean().describe('Whether the body of each message is sent as base64.'),
      enableDataProtection: z
        .boolean()
        .describe('Whether messages lack every text except ids, types, states and times.'),
      publicKey: z.string().describe('RSA public key for encryption, as sent. Empty when none was sent.'),
    })
    .meta({ id: 'AdvancedWebhookConfiguration' }),
  async afterWrite({ before, after }, tenant, { em, webhooks, startJob, wakeEndpoint }) {
    await waitForClaims(em, tenant.id);
    if (areSent(after.isEnabled, after) && !areSent(before.isEnabled, before))
      await restartFailingTime(em, tenant.id, 'advanced');
    const job = after.isEnabled ? await requestApplication(em, tenant, webhooks.name) : undefined;
    if (job !== undefined) startJob(job);
    // Messages that were held, or waited while webhooks were off, can be delivered now.
    const waiting = await waitingEndpoints(em, [tenant.id], servedKinds(webhooks.name));
    for (const endpoint of waiting) wakeEndpoint(endpoint);
  },
  toChange: (sent) => sent,
  view: (config) => config,
});
