import type { AadContext } from '../../platform/encryption/key-ring.ts';

/** The AAD context of the secret half of a signing key. */
export const signingKeyContext = (kid: string): AadContext => ({
  table: 'signing_key',
  column: 'key_enc',
  row: kid,
  tenant: '',
});
