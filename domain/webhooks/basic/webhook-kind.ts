import { invalidMember } from '../../errors.ts';
import { merged } from '../../configuration/change.ts';
import type { ConfigurationKind } from '../../configuration/kind.ts';
import { brokenKeyRule } from '../../configuration/rsa-public-key.ts';
import { seededTriggers } from '../../configuration/triggers.ts';
import { syncBasicEndpoints, type WebhookConfiguration } from './sync-basic-endpoints.ts';

/** The basic webhook: events of its triggers go to a raw URL and, as displayable text, to a processed URL. */
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
  check({ after: { webhookServiceConfig: service } }) {
    const member = 'webhookServiceConfig.publicKey';
    const rule = brokenKeyRule(service);
    if (rule !== undefined) throw invalidMember(member, `${member} ${rule}`);
  },
  afterWrite: syncBasicEndpoints,
  seed: (stored) => {
    const { webhookComment: comment, huddle } = seededTriggers;
    const seed = { webhookServiceConfig: { triggers: { comment, huddle } } };
    return merged(merged(stored, seed), { webhookServiceConfig: stored.webhookServiceConfig });
  },
};
