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
  '/v2/operator/tokens/list': ['tokenId', 'name', 'scope', 'expiresAt', 'lastUsedAt', 'revokedAt'],
  '/v2/operator/usage/get': [
    'startsAt',
    'requests',
    'errors',
    'bytesIn',
    'bytesOut',
    'events',
    'deliveries',
    'aiCalls',
    'aiInputTokens',
    'aiOutputTokens',
    'created',
  ],
};
