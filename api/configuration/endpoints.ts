import { activityConfiguration } from './activity.ts';
import { advancedWebhookConfiguration } from './advanced-webhook.ts';
import { apiKeyConfiguration } from './api-key.ts';
import { emailConfiguration } from './email.ts';
import { notificationConfiguration } from './notification.ts';
import { permissionProviderConfiguration } from './permission-provider.ts';
import { webhookConfiguration } from './webhook.ts';

export const configurationEndpoints = [
  ...apiKeyConfiguration,
  ...activityConfiguration,
  ...notificationConfiguration,
  ...advancedWebhookConfiguration,
  ...permissionProviderConfiguration,
  ...emailConfiguration,
  ...webhookConfiguration,
] as const;
