import { callCounters } from '../../domain/tenancy/usage.ts';

/** Columns of the tables that show fewer members than their operation returns. `--json` prints all of them. */
export const tableColumns: Readonly<Record<string, readonly string[]>> = {
  '/v2/operator/auditlog/get': [
    'at',
    'actorKind',
    'actor',
    'action',
    'target',
    'outcome',
    'keyId',
    'address',
  ],
  '/v2/operator/jobs/list': ['jobId', 'keyId', 'kind', 'status', 'createdAt', 'completedAt', 'error'],
  '/v2/operator/webhooks/health': [
    'endpointId',
    'keyId',
    'host',
    'pending',
    'oldestPendingAt',
    'lastSuccessAt',
    'lastFailureAt',
    'paused',
    'disabledReason',
  ],
  '/v2/operator/events/poison/list': ['eventId', 'keyId', 'type', 'attempts', 'reason', 'nextAttemptAt'],
  '/v2/operator/keys/list': ['keyId', 'workspaceId', 'name', 'type', 'disabledAt', 'disabledBy'],
  '/v2/operator/tokens/list': ['tokenId', 'name', 'scope', 'expiresAt', 'lastUsedAt', 'revokedAt'],
  '/v2/operator/usage/get': ['startsAt', ...callCounters, 'created'],
};
