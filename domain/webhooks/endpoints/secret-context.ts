import type { AadContext } from '../../../platform/encryption/key-ring.ts';

/** The AAD context of a webhook endpoint's signing secret. */
export const webhookSecretContext = (
  column: 'secret_enc' | 'old_secret_enc',
  { publicId, apiKeyId }: { readonly publicId: string; readonly apiKeyId: string },
): AadContext => ({ table: 'webhook_endpoint', column, row: publicId, tenant: apiKeyId });
