import { createPublicKey } from 'node:crypto';

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a text is base64 of the DER (SPKI) of a public key on the curve P-256. */
export function isP256PublicKey(text: string): boolean {
  if (!base64.test(text)) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
