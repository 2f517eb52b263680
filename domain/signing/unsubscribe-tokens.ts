import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookup } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { currentKey, signingKeyContext } from './signing-secret.ts';

/** Surrogate keys of the API key, organization, user and document of a message. */
export interface UnsubscribeSubject {
  readonly apiKeyId: string;
  readonly organization: string;
  readonly user: string;
  /** Undefined for a digest of several documents. */
  readonly document: string | undefined;
}

/** Seals and opens tokens. A retired key opens its tokens forever, because they are in mailboxes. */
export interface UnsubscribeKey {
  readonly kid: string;
  readonly encryption: KeyObject;
  readonly nonces: KeyObject;
}

const purpose = 'unsubscribe';
const kidPrefix = `${purpose}_`;
/** Bytes of a key id without its prefix. */
const kidBytes = 9;
const nonceBytes = 12;
const tagBytes = 16;
const idBytes = 8;
const payloadBytes = 4 * idBytes;
const tokenBytes = kidBytes + nonceBytes + tagBytes + payloadBytes;

/** Returns the key that seals new tokens. The first call creates it. */
export async function currentUnsubscribeKey(em: EntityManager, keyRing: KeyRing): Promise<UnsubscribeKey> {
  return derived(await currentKey(em, keyRing, purpose, () => ({ secret: randomBytes(32) })));
}

function derived({ kid, secret }: { readonly kid: string; readonly secret: Buffer }): UnsubscribeKey {
  const use = (name: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `steward unsubscribe token ${name}`, 32)));
  return { kid, encryption: use('encryption'), nonces: use('nonce') };
}

/**
 * Seals a token with AES-256-GCM, in base64url: the key's id (9 bytes), nonce (12), tag (16) and four ids (8 each). The
 * nonce is a MAC of the ids: equal subjects have equal tokens, and no nonce is used for two subjects.
 */
export function sealUnsubscribeToken(
  { kid, encryption, nonces }: UnsubscribeKey,
  subject: UnsubscribeSubject,
): string {
  const ids = Buffer.alloc(payloadBytes);
  const { apiKeyId, organization, user, document = '0' } = subject;
  for (const [at, id] of [apiKeyId, organization, user, document].entries())
    ids.writeBigUInt64BE(BigInt(id), at * idBytes);
  const nonce = createHmac('sha256', nonces).update(ids).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', encryption, nonce);
  const sealed = Buffer.concat([cipher.update(ids), cipher.final()]);
  const key = Buffer.from(kid.slice(kidPrefix.length), 'base64url');
  return Buffer.concat([key, nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Returns undefined for a text that is no token of this deployment. */
export async function openUnsubscribeToken(
  em: EntityManager,
  keyRing: KeyRing,
  token: string,
): Promise<UnsubscribeSubject | undefined> {
  const bytes = Buffer.from(token, 'base64url');
  // Node's decoder skips invalid characters, so the text must round-trip to count as a token.
  if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) return undefined;
  const kid = kidPrefix + bytes.toString('base64url', 0, kidBytes);
  const [found] = await lookup(
    em,
    tablesOf(em)
      .selectFrom('signing_key')
      .select('key_enc')
      .where((row) => row.and({ kid, purpose })),
  );
  if (found === undefined) return undefined;
  const key = derived({ kid, secret: keyRing.decryptBytes(found.key_enc, signingKeyContext(kid)) });
  const ids = decrypted(key, bytes.subarray(kidBytes));
  return ids && subjectOf(ids);
}

function decrypted({ encryption }: UnsubscribeKey, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', encryption, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function subjectOf(ids: Buffer): UnsubscribeSubject {
  const id = (at: number): string => ids.readBigUInt64BE(at * idBytes).toString();
  const document = id(3);
  return {
    apiKeyId: id(0),
    organization: id(1),
    user: id(2),
    document: document === '0' ? undefined : document,
  };
}

/** Returns the URL in a message. `publicUrl`: of the API, without a slash at its end. */
export const unsubscribeUrl = (publicUrl: string, key: UnsubscribeKey, subject: UnsubscribeSubject): string =>
  `${publicUrl}/unsubscribe/${sealUnsubscribeToken(key, subject)}`;
