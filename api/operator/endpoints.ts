import { auditLogEndpoints } from './auditlog/endpoints.ts';
import { logLevelEndpoints } from './loglevel/endpoints.ts';
import { operatorEventEndpoints } from './events/endpoints.ts';
import { operatorJobEndpoints } from './jobs/endpoints.ts';
import { operatorProcessEndpoints } from './processes/endpoints.ts';
import { operatorLimitEndpoints } from './limits/endpoints.ts';
import { operatorTokenEndpoints } from './tokens/endpoints.ts';
import { operatorWebhookEndpoints } from './webhooks/endpoints.ts';
import { operatorUsageEndpoints } from './usage/endpoints.ts';
import { operatorKeyEndpoints } from './keys/endpoints.ts';
import { operatorWorkspaceEndpoints } from './workspaces/endpoints.ts';

/** Operations of operators, by family. */
export const operatorEndpoints = [
  ...operatorTokenEndpoints,
  ...operatorWorkspaceEndpoints,
  ...operatorKeyEndpoints,
  ...operatorJobEndpoints,
  ...operatorWebhookEndpoints,
  ...operatorEventEndpoints,
  ...operatorProcessEndpoints,
  ...logLevelEndpoints,
  ...operatorUsageEndpoints,
  ...operatorLimitEndpoints,
  ...auditLogEndpoints,
] as const;
