import { z } from 'zod';
import { webhookKind } from '../../domain/webhooks/basic/webhook-kind.ts';
import { waitingEndpoints } from '../../domain/webhooks/endpoints/waiting-endpoints.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, publicKeyText, secretText, triggersResponse, triggersInput, urlOrEmpty } from './members.ts';

/** Also accepted by apikey/create. */
export const webhookUpdate = {
  useWebhookService: flag,
  webhookServiceConfig: z
    .strictObject({
      authToken: secretText,
      rawNotificationUrl: urlOrEmpty().optional(),
      processedNotificationUrl: urlOrEmpty().optional(),
      publicKey: publicKeyText.optional(),
      encodeData: flag,
      encryptData: flag,
      enableDataProtection: flag,
      triggers: z
        .strictObject({
          comment: triggersInput,
          huddle: triggersInput,
          crdt: triggersInput,
          recorder: triggersInput,
        })
        .optional(),
    })
    .optional(),
};

export const webhookConfiguration = configurationOperations({
  kind: webhookKind,
  path: 'webhookconfig',
  summaries: {
    get: 'Returns the URLs and triggers of the basic webhook.',
    update: 'Turns the basic webhook on or off, and changes its URLs and triggers.',
  },
  messages: configurationMessages('Webhook'),
  emptyUpdateMessage: 'Invalid webhook service configuration.',
  update: z.strictObject(webhookUpdate),
  example: {
    useWebhookService: true,
    webhookServiceConfig: { rawNotificationUrl: 'https://hooks.example.com/raw' },
  },
  response: z.strictObject({
    useWebhookService: z.boolean(),
    webhookServiceConfig: z.strictObject({
      authToken: z.string(),
      rawNotificationUrl: z.string(),
      processedNotificationUrl: z.string(),
      publicKey: z.string(),
      encodeData: z.boolean(),
      encryptData: z.boolean(),
      enableDataProtection: z.boolean(),
      triggers: z.strictObject({
        comment: triggersResponse,
        huddle: triggersResponse,
        crdt: triggersResponse,
        recorder: triggersResponse,
      }),
    }),
  }),
  async afterWrite(_config, tenant, { em, wakeEndpoint }) {
    for (const endpointId of await waitingEndpoints(em, tenant.id))
      wakeEndpoint({ keyId: tenant.keyId, endpointId });
  },
  toChange: (sent) => sent,
  view: (config) => config,
});
