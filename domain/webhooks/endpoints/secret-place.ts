import type { SecretPlace } from '../../../platform/encryption/key-ring.ts';

/** Where the signing secret of a webhook endpoint is sealed. */
export const webhookSecretPlace = (
  column: 'secret_enc' | 'old_secret_enc',
  { publicId, apiKeyId }: { readonly publicId: string; readonly apiKeyId: string },
): SecretPlace => ({ table: 'webhook_endpoint', column, row: publicId, tenant: apiKeyId });
