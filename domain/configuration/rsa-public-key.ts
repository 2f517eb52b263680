import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';

const minBits = 2_048;
const maxBits = 16_384;

const pem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END (RSA )?PUBLIC KEY-----\s*$/;
const base64 = /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/;

/** Parses an RSA key of 2,048 to 16,384 bits, as PEM or base64 of DER (SPKI or PKCS#1); undefined for anything else. */
export function rsaPublicKey(text: string): KeyObject | undefined {
  const found = pem.test(text) ? parsed(text) : base64.test(text) ? parsedDer(text) : undefined;
  const bits = found?.asymmetricKeyDetails?.modulusLength ?? 0;
  return found?.asymmetricKeyType === 'rsa' && bits >= minBits && bits <= maxBits ? found : undefined;
}

function parsedDer(text: string): KeyObject | undefined {
  const key = Buffer.from(text, 'base64');
  return parsed({ key, format: 'der', type: 'spki' }) ?? parsed({ key, format: 'der', type: 'pkcs1' });
}

/** Wraps the key of a message by RSA-OAEP with SHA-256. Throws for a key that OpenSSL parses but does not use. */
export const wrappedBy = (publicKey: KeyObject, key: Buffer): Buffer =>
  publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, key);

function isUsable(text: string): boolean {
  const key = rsaPublicKey(text);
  if (key === undefined) return false;
  try {
    wrappedBy(key, Buffer.alloc(32));
    return true;
  } catch {
    return false;
  }
}

/** Messages without a key are held, never sent unencrypted. An unusable key would hold them forever. */
export const canEncrypt = ({
  encryptData,
  publicKey,
}: {
  readonly encryptData: boolean;
  readonly publicKey: string;
}): boolean => !encryptData || publicKey === '' || isUsable(publicKey);

function parsed(input: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(input);
  } catch {
    return undefined;
  }
}
