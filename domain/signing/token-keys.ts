import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { exportJWK } from 'jose';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { signingKeyPlace } from './signing-secret.ts';

/** Longest life of a token, in seconds: what a retired key must still be known for. */
export const tokenLifetime = 48 * 3_600;

/** Days that a receipt is kept, and good for whoever was given it. */
export const receiptLifetime = 366;

/** Receipts have a key of their own: theirs is published for as long as they live, a retired key of tokens must not be. */
export type TokenKeyPurpose = 'jwt' | 'receipt';

/** The key that signs now. */
export interface TokenKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** A public key as `/.well-known/jwks.json` shows it (RFC 8037). */
export interface PublicTokenKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly use: 'sig';
  readonly alg: 'EdDSA';
  readonly kid: string;
  readonly x: string;
}

/** Made by whoever asks first; two who ask at once get the same. Nothing is kept: a rotation is followed at once. */
export async function currentTokenKey(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: TokenKeyPurpose = 'jwt',
): Promise<TokenKey> {
  const known = await current(em, keyRing, purpose);
  if (known !== undefined) return known;
  await addKey(em, keyRing, purpose);
  const made = await current(em, keyRing, purpose);
  if (made === undefined) throw new Error(`No signing key for ${purpose}.`);
  return made;
}

async function current(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: TokenKeyPurpose,
): Promise<TokenKey | undefined> {
  const found = await row<{ kid: string; key_enc: Buffer }>(
    em,
    'select kid, key_enc from signing_key where purpose = $1 and retired_at is null',
    [purpose],
  );
  if (found === undefined) return undefined;
  const key = keyRing.decryptBytes(found.key_enc, signingKeyPlace(found.kid));
  return { kid: found.kid, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
}

async function addKey(em: EntityManager, keyRing: KeyRing, purpose: TokenKeyPurpose): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const kid = `${purpose}_${randomBytes(9).toString('base64url')}`;
  await rows(
    em,
    `insert into signing_key (kid, purpose, key_enc, public_key) values ($1, $2, $3, $4)
     on conflict (purpose) where retired_at is null do nothing`,
    [
      kid,
      purpose,
      keyRing.encrypt(privateKey.export({ format: 'der', type: 'pkcs8' }), signingKeyPlace(kid)),
      publicKey.export({ format: 'der', type: 'spki' }),
    ],
  );
}

/** In one transaction: tokens are signed by a new key from its commit on; those of the old one stay good. Answers the new key's id. */
export async function rotateTokenKey(em: EntityManager, keyRing: KeyRing): Promise<string> {
  await rows(em, `update signing_key set retired_at = now() where purpose = 'jwt' and retired_at is null`);
  return (await currentTokenKey(em, keyRing)).kid;
}

/**
 * The keys whose tokens may still live, the newest first, and behind them those whose receipts may. An hour beyond the
 * life of a token: one that was being made while its key was retired is good to its end as well.
 */
export async function publicTokenKeys(em: EntityManager): Promise<PublicTokenKey[]> {
  const found = await rows<{ kid: string; public_key: Buffer }>(
    em,
    `select kid, public_key from signing_key where public_key is not null and (retired_at is null
         or purpose = 'jwt' and retired_at > now() - $1 * interval '1 second'
         or purpose = 'receipt' and retired_at > now() - $2 * interval '1 day')
     order by purpose, created_at desc, kid`,
    [tokenLifetime + 3_600, receiptLifetime + 1],
  );
  return await Promise.all(
    found.map(async ({ kid, public_key: key }) => {
      const { x = '' } = await exportJWK(createPublicKey({ key, format: 'der', type: 'spki' }));
      return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x };
    }),
  );
}
