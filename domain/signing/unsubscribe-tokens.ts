import { randomBytes } from 'node:crypto';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookup } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { sealBytes, TokenSealer } from '../../platform/encryption/seal.ts';
import { tablesOf } from '../tables.ts';
import { signingKeyContext } from './signing-key-context.ts';
import { currentKey } from './signing-secret.ts';

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
  readonly sealer: TokenSealer;
}

const purpose = 'unsubscribe';
const kidPrefix = `${purpose}_`;
/** Bytes of a key id without its prefix. */
const kidBytes = 9;
const idBytes = 8;
const payloadBytes = 4 * idBytes;
const tokenBytes = kidBytes + sealBytes + payloadBytes;

/** Returns the key that seals new tokens. The first call creates it. */
export async function currentUnsubscribeKey(em: EntityManager, keyRing: KeyRing): Promise<UnsubscribeKey> {
  return derived(await currentKey(em, keyRing, purpose, () => ({ secret: randomBytes(32) })));
}

const derived = ({ kid, secret }: { readonly kid: string; readonly secret: Buffer }): UnsubscribeKey => ({
  kid,
  sealer: new TokenSealer(secret, 'unsubscribe'),
});

/**
 * Returns a token in base64url: the key's id (9 bytes), then four sealed ids (8 bytes each). Equal subjects have equal
 * tokens.
 */
export function sealUnsubscribeToken({ kid, sealer }: UnsubscribeKey, subject: UnsubscribeSubject): string {
  const ids = Buffer.alloc(payloadBytes);
  const { apiKeyId, organization, user, document = '0' } = subject;
  for (const [at, id] of [apiKeyId, organization, user, document].entries())
    ids.writeBigUInt64BE(BigInt(id), at * idBytes);
  const key = Buffer.from(kid.slice(kidPrefix.length), 'base64url');
  return Buffer.concat([key, sealer.seal(ids)]).toString('base64url');
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
  const ids = key.sealer.open(bytes.subarray(kidBytes));
  return ids && subjectOf(ids);
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
