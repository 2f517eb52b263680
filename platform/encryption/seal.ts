import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

const algorithm = 'aes-256-gcm';
const tagBytes = 16;

export const nonceBytes = 12;
/** Bytes by which sealed bytes are longer. */
export const sealBytes = nonceBytes + tagBytes;

/**
 * Encrypts and authenticates with AES-256-GCM. Layout: nonce (12 bytes), tag (16), ciphertext. A nonce that is used for
 * two texts reveals both. `aad`: further bytes that are authenticated.
 */
export function seal(key: KeyObject, nonce: Buffer, plain: Buffer, aad?: Buffer): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce);
  if (aad !== undefined) cipher.setAAD(aad);
  const parts = [cipher.update(plain), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...parts]);
}

/** Decrypts what `seal` returned. Throws when the bytes, the key or `aad` are others. */
export function unseal(key: KeyObject, sealed: Buffer, aad?: Buffer): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  if (aad !== undefined) decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(nonceBytes, sealBytes));
  return Buffer.concat([decipher.update(sealed.subarray(sealBytes)), decipher.final()]);
}

/**
 * Seals and opens tokens of one kind with keys derived from a secret. The nonce is a MAC of AAD and payload: equal
 * payloads have equal tokens, and no nonce is used for two payloads. All AADs of a kind must have the same length.
 */
export class TokenSealer {
  readonly #encryption: KeyObject;
  readonly #nonces: KeyObject;

  constructor(secret: Buffer, kind: string) {
    const derived = (use: string): KeyObject =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `steward ${kind} token ${use}`, 32)));
    this.#encryption = derived('encryption');
    this.#nonces = derived('nonce');
  }

  seal(payload: Buffer, aad?: Buffer): Buffer {
    const mac = createHmac('sha256', this.#nonces)
      .update(aad ?? '')
      .update(payload)
      .digest();
    return seal(this.#encryption, mac.subarray(0, nonceBytes), payload, aad);
  }

  /** Returns undefined for bytes that `seal` has not returned for this AAD. */
  open(sealed: Buffer, aad?: Buffer): Buffer | undefined {
    try {
      return unseal(this.#encryption, sealed, aad);
    } catch {
      return undefined;
    }
  }
}
