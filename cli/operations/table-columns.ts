/** Columns of the tables that show fewer members than their operation returns. `--json` prints all of them. */
export const tableColumns: Readonly<Record<string, readonly string[]>> = {
  '/v2/operator/tokens/list': ['tokenId', 'name', 'scope', 'expiresAt', 'lastUsedAt', 'revokedAt'],
};
