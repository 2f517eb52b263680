import { activityLogEndpoints } from './activity-logs/endpoints.ts';
import { agentEndpoints } from './agents/endpoints.ts';
import { commentEndpoints } from './comments/endpoints.ts';
import { crdtEndpoints } from './crdt/endpoints.ts';
import { documentEndpoints } from './documents/endpoints.ts';
import { configurationEndpoints } from './configuration/endpoints.ts';
import { emailEndpoints } from './email/endpoints.ts';
import { folderEndpoints } from './folders/endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { groupEndpoints } from './groups/endpoints.ts';
import { jobEndpoints } from './jobs/endpoints.ts';
import { notificationEndpoints } from './notifications/endpoints.ts';
import { operatorEndpoints } from './operator/endpoints.ts';
import { organizationEndpoints } from './organizations/endpoints.ts';
import { permissionEndpoints } from './permissions/endpoints.ts';
import { recordingEndpoints } from './recordings/endpoints.ts';
import { rewriterEndpoints } from './rewriter/endpoints.ts';
import { usageEndpoints } from './usage/endpoints.ts';
import { userEndpoints } from './users/endpoints.ts';
import { userDataEndpoints } from './users-data/endpoints.ts';
import { webhookEndpoints } from './webhooks/endpoints.ts';
import { workspaceEndpoints } from './workspace/endpoints.ts';

/** All operations of the API. Routes, API reference and tests read this list. */
export const endpoints: readonly Endpoint[] = [
  ...workspaceEndpoints,
  ...configurationEndpoints,
  ...emailEndpoints,
  ...permissionEndpoints,
  ...organizationEndpoints,
  ...documentEndpoints,
  ...folderEndpoints,
  ...userEndpoints,
  ...userDataEndpoints,
  ...groupEndpoints,
  ...activityLogEndpoints,
  ...notificationEndpoints,
  ...commentEndpoints,
  ...crdtEndpoints,
  ...agentEndpoints,
  ...recordingEndpoints,
  ...webhookEndpoints,
  ...rewriterEndpoints,
  ...jobEndpoints,
  ...usageEndpoints,
  ...operatorEndpoints,
];
