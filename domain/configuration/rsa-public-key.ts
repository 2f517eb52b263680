import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';

const minBits = 2_048;
const maxBits = 8_192;

/**
 * With both maxima, an encryption takes about ten times as long as with a common key. It runs on the thread of a worker
 * that sends the webhooks of all keys. Without them, OpenSSL uses keys that take a hundred times as long.
 */
const maxExponent = 2n ** 32n;

/** What a customer's key must be, for errors. */
export const publicKeyRule =
  'must be an RSA public key of 2048 to 8192 bits with an exponent of at most 2^32.';

const pem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END (RSA )?PUBLIC KEY-----\s*$/;
const base64 = /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/;

/**
 * Parses an RSA key of 2,048 to 8,192 bits with a public exponent of at most 2^32, as PEM or base64 of DER (SPKI or
 * PKCS#1); undefined for anything else.
 */
export function rsaPublicKey(text: string): KeyObject | undefined {
  const found = pem.test(text) ? parsed(text) : base64.test(text) ? parsedDer(text) : undefined;
  if (found?.asymmetricKeyType !== 'rsa') return undefined;
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = found.asymmetricKeyDetails ?? {};
  return bits >= minBits && bits <= maxBits && exponent <= maxExponent ? found : undefined;
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
