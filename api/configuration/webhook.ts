import { z } from 'zod';
import type { WebhookConfiguration } from '../../domain/webhooks/basic/sync-basic-endpoints.ts';
import { webhookKind } from '../../domain/webhooks/basic/webhook-kind.ts';
import { areSent } from '../../domain/webhooks/delivery/payload.ts';
import { restartFailingTime } from '../../domain/webhooks/endpoints/restart-failing-time.ts';
import { waitingEndpoints } from '../../domain/webhooks/endpoints/waiting-endpoints.ts';
import { servedKinds } from '../../domain/webhooks/provider.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import {
  flag,
  hasNoCredentialsOrFragment,
  headerSecret,
  publicKeyText,
  triggersResponse,
  triggersInput,
  urlOrEmpty,
} from './members.ts';

/** Also accepted by apikey/create. */
export const webhookUpdate = {
  useWebhookService: flag.describe('True turns the basic webhook on.'),
  webhookServiceConfig: z
    .strictObject({
      authToken: headerSecret.describe(
        'Token that Steward sends as `Authorization: Basic`, max 1,000 characters that a header can contain. ' +
          'Stored encrypted.',
      ),
      rawNotificationUrl: urlOrEmpty(hasNoCredentialsOrFragment)
        .optional()
        .describe(
          'URL for events as they occur: http or https, without credentials and fragment, max 2,048 characters, ' +
            'or empty.',
        ),
      processedNotificationUrl: urlOrEmpty(hasNoCredentialsOrFragment)
        .optional()
        .describe(
          'URL for events with a text to show: http or https, without credentials and fragment, max 2,048 ' +
            'characters, or empty.',
        ),
      publicKey: publicKeyText
        .optional()
        .describe(
          'RSA public key for encryption, as PEM or base64 of DER, max 4,096 characters: of 2,048 to 8,192 bits ' +
            'with an exponent of at most 2^32.',
        ),
      encodeData: flag.describe(
        'True sends the body as base64 in `encodedPayload`. Encryption takes precedence.',
      ),
      encryptData: flag.describe(
        'True encrypts the body with AES-256-CBC, and its key with `publicKey` by RSA-OAEP with SHA-256.',
      ),
      enableDataProtection: flag.describe(
        'True removes every text except ids, types, states and times from messages, even texts that their schemas require.',
      ),
      triggers: z
        .strictObject({
          comment: triggersInput.describe('Event types of comments.'),
          huddle: triggersInput.describe('Event types of huddles.'),
          crdt: triggersInput.describe('Event types of collaborative data.'),
          recorder: triggersInput.describe('Event types of recordings.'),
        })
        .optional()
        .describe('Event types that are sent.'),
    })
    .optional()
    .describe('Settings of the basic webhook. Fields that are not sent keep their value.'),
};

/** Whether events are sent to the URLs that are set. */
const isSent = ({ useWebhookService, webhookServiceConfig }: WebhookConfiguration): boolean =>
  areSent(useWebhookService, webhookServiceConfig);

export const webhookConfiguration = configurationOperations({
  kind: webhookKind,
  path: 'webhookconfig',
  summaries: {
    get: 'Returns the URLs and triggers of the basic webhook.',
    update: 'Turns the basic webhook on or off, and changes its URLs and triggers.',
  },
  descriptions: {
    get: 'Returns every field, including the token. Before the first update, the fields have their defaults.',
    update:
      'Fields that are not sent keep their value. The first update that turns the basic webhook on also ' +
      'sets the usual triggers. Each URL that is set receives the events whose triggers are on, with the ' +
      'retry schedule of advanced webhooks. An invalid URL, and an update without a known field, fail with ' +
      '`INVALID_ARGUMENT`. The audit log records the call, without secrets.',
  },
  messages: configurationMessages('Webhook'),
  emptyUpdateMessage: 'Invalid webhook service configuration.',
  update: z.strictObject(webhookUpdate),
  example: {
    useWebhookService: true,
    webhookServiceConfig: { rawNotificationUrl: 'https://hooks.example.com/raw' },
  },
  response: z
    .strictObject({
      useWebhookService: z.boolean().describe('Whether the basic webhook is on.'),
      webhookServiceConfig: z
        .strictObject({
          authToken: z.string().describe('Token that Steward sends as `Authorization: Basic`.'),
          rawNotificationUrl: z.string().describe('URL for events as they occur.'),
          processedNotificationUrl: z.string().describe('URL for events with a text to show.'),
          publicKey: z.string().describe('RSA public key for encryption.'),
          encodeData: z.boolean().describe('Whether the body is sent as base64.'),
          encryptData: z.boolean().describe('Whether the body is encrypted.'),
          enableDataProtection: z
            .boolean()
            .describe('Whether messages lack every text except ids, types, states and times.'),
          triggers: z
            .strictObject({
              comment: triggersResponse.describe('Event types of comments, each on or off.'),
              huddle: triggersResponse.describe('Event types of huddles, each on or off.'),
              crdt: triggersResponse.describe('Event types of collaborative data, each on or off.'),
              recorder: triggersResponse.describe('Event types of recordings, each on or off.'),
            })
            .describe('Event types that are sent.'),
        })
        .describe('Settings of the basic webhook.'),
    })
    .meta({ id: 'WebhookConfiguration' }),
  async afterWrite({ before, after }, tenant, { em, webhooks, wakeEndpoint }) {
    if (isSent(after) && !isSent(before)) await restartFailingTime(em, tenant.id, 'basic');
    const waiting = await waitingEndpoints(em, [tenant.id], servedKinds(webhooks.name));
    for (const endpoint of waiting) wakeEndpoint(endpoint);
  },
  toChange: (sent) => sent,
  view: (config) => config,
});
