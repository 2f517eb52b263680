import type { AadContext } from '../../platform/encryption/key-ring.ts';

/** The AAD context of an API key, which its workspace can read again. */
export const apiKeyContext = (keyHash: Buffer, workspaceId: string): AadContext => ({
  table: 'api_key',
  column: 'key_enc',
  row: keyHash.toString('hex'),
  tenant: workspaceId,
});
