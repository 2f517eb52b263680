import { activityLogConfiguration } from './activity-log.ts';
import { advancedWebhookConfiguration } from './advanced-webhook.ts';
import { apiKeyConfiguration } from './api-key.ts';
import { emailConfiguration } from './email.ts';
import { notificationConfiguration } from './notification.ts';
import { permissionProviderConfiguration } from './permission-provider.ts';
import { slackConfiguration } from './slack.ts';
import { webhookConfiguration } from './webhook.ts';

export const configurationEndpoints = [
  ...apiKeyConfiguration,
  ...activityLogConfiguration,
  ...notificationConfiguration,
  ...advancedWebhookConfiguration,
  ...permissionProviderConfiguration,
  ...emailConfiguration,
  ...slackConfiguration,
  ...webhookConfiguration,
] as const;
