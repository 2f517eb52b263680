import { webhookHealth } from './health.ts';
import { pauseWebhooks } from './pause.ts';
import { recoverWebhooks } from './recover.ts';
import { resumeWebhooks } from './resume.ts';

export const operatorWebhookEndpoints = [
  webhookHealth,
  pauseWebhooks,
  resumeWebhooks,
  recoverWebhooks,
] as const;
