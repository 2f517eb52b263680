import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const minBits = 2_048;
const maxBits = 8_192;

/**
 * With both maxima, an encryption takes about ten times as long as with a common key. It runs on the thread of a worker
 * that sends the webhooks of all keys. Without them, OpenSSL uses keys that take a hundred times as long.
 */
const maxExponent = 2n ** 32n;

/** What a customer's key must be, for errors. The first text is fixed by the specification. */
const rules = {
  kind: 'must be an RSA public key of at least 2048 bits.',
  size: 'must be an RSA public key of 2048 to 8192 bits with an exponent of at most 2^32.',
} as const;

const pem = /^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END (?:RSA )?PUBLIC KEY-----\s*$/;
const base64 = /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/;

/**
 * Parses an RSA key of 2,048 to 8,192 bits with a public exponent of at most 2^32, as PEM or base64 of DER (SPKI or
 * PKCS#1); undefined for anything else.
 */
export function rsaPublicKey(text: string): KeyObject | undefined {
  const found = keyOf(text);
  return typeof found === 'string' ? undefined : found;
}

/** Returns the key, or the rule that the text breaks. Line breaks of PEM may be missing: fields of one line remove them. */
function keyOf(text: string): KeyObject | (typeof rules)[keyof typeof rules] {
  const body = pem.exec(text)?.[1] ?? text;
  const found = base64.test(body) ? parsedDer(body) : undefined;
  if (found?.asymmetricKeyType !== 'rsa') return rules.kind;
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = found.asymmetricKeyDetails ?? {};
  if (bits < minBits) return rules.kind;
  return bits <= maxBits && exponent <= maxExponent ? found : rules.size;
}

function parsedDer(text: string): KeyObject | undefined {
  const key = Buffer.from(text, 'base64');
  return parsed({ key, format: 'der', type: 'spki' }) ?? parsed({ key, format: 'der', type: 'pkcs1' });
}

/** Wraps the key of a message by RSA-OAEP with SHA-256. Throws for a key that OpenSSL parses but does not use. */
export const wrappedBy = (publicKey: KeyObject, key: Buffer): Buffer =>
  publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, key);

/**
 * Returns the rule that the key of a webhook service breaks, for errors. Messages without a key are held, never sent
 * unencrypted. An unusable key would hold them forever.
 */
export function brokenKeyRule({
  encryptData,
  publicKey,
}: {
  readonly encryptData: boolean;
  readonly publicKey: string;
}): string | undefined {
  if (!encryptData || publicKey === '') return undefined;
  return ruleOf(publicKey);
}

/** Whether messages can be encrypted with a stored key: an earlier release accepted keys that this one does not. */
export function isUsableKey(text: string): boolean {
  const known = usable.get(text);
  if (known !== undefined) return known;
  const found = ruleOf(text) === undefined;
  usable.set(text, found);
  return found;
}

/** A test encryption takes about as long as a message, and each poll of an endpoint needs the result. */
const usable = new LRUCache<string, boolean>({ max: 500 });

function ruleOf(text: string): string | undefined {
  const key = keyOf(text);
  if (typeof key === 'string') return key;
  try {
    wrappedBy(key, Buffer.alloc(32));
    return undefined;
  } catch {
    return rules.kind;
  }
}

function parsed(input: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(input);
  } catch {
    return undefined;
  }
}
