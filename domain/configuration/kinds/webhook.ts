import { merged } from '../change.ts';
import type { ConfigurationKind } from '../kind.ts';
import { seededTriggers, type Triggers } from '../triggers.ts';

export interface WebhookConfiguration {
  readonly useWebhookService: boolean;
  readonly webhookServiceConfig: {
    readonly authToken: string;
    readonly rawNotificationUrl: string;
    readonly processedNotificationUrl: string;
    readonly publicKey: string;
    readonly encodeData: boolean;
    readonly encryptData: boolean;
    readonly enableDataProtection: boolean;
    readonly triggers: {
      readonly comment: Triggers;
      readonly huddle: Triggers;
      readonly crdt: Triggers;
      readonly recorder: Triggers;
    };
  };
}

/** The basic webhook; stored for the customer's own sender. */
export const webhookKind: ConfigurationKind<WebhookConfiguration> = {
  name: 'webhook',
  defaults: {
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
  secrets: [['webhookServiceConfig', 'authToken']],
  isOn: ({ useWebhookService }) => useWebhookService,
  seeded: (stored) => {
    const { webhookComment: comment, huddle } = seededTriggers;
    const seed = { webhookServiceConfig: { triggers: { comment, huddle } } };
    return merged(merged(stored, seed), { webhookServiceConfig: stored.webhookServiceConfig });
  },
};
