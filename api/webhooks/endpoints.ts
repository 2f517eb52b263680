import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { getAttempts } from './get-attempts.ts';
import { getEndpoints } from './get-endpoints.ts';
import { getEventTypes } from './get-event-types.ts';
import { getHealth } from './get-health.ts';
import { getMessages } from './get-messages.ts';
import { getSecret } from './get-secret.ts';
import { getStats } from './get-stats.ts';
import { recoverMessages } from './recover-messages.ts';
import { resendMessage } from './resend-message.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testEndpoint } from './test-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';

export const webhookEndpoints = [
  createEndpoint,
  getEndpoints,
  updateEndpoint,
  deleteEndpoint,
  getSecret,
  rotateSecret,
  testEndpoint,
  getAttempts,
  getMessages,
  resendMessage,
  recoverMessages,
  getStats,
  getHealth,
  getEventTypes,
] as const;
