import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK } from 'jose';
import { sql, type NotNull } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { currentKey } from './signing-secret.ts';

/** Longest life of a token, in seconds: what a retired key must still be known for. */
export const tokenLifetimeSeconds = 48 * 3_600;

/** Days that a receipt is kept, and good for whoever was given it. */
export const receiptLifetimeDays = 366;

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
  const { kid, secret } = await currentKey(em, keyRing, purpose, () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return {
      secret: privateKey.export({ format: 'der', type: 'pkcs8' }),
      publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    };
  });
  return { kid, privateKey: createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' }) };
}

/** In one transaction: tokens are signed by a new key from its commit on; those of the old one stay good. Answers the new key's id. */
export async function rotateTokenKey(em: EntityManager, keyRing: KeyRing): Promise<string> {
  await tablesOf(em)
    .updateTable('signing_key')
    .set({ retired_at: sql`now()` })
    .where((row) => row.and({ purpose: 'jwt', retired_at: null }))
    .execute();
  return (await currentTokenKey(em, keyRing)).kid;
}

/**
 * The keys whose tokens may still live, the newest first, and behind them those whose receipts may. An hour beyond the
 * life of a token: one that was being made while its key was retired is good to its end as well.
 */
export async function publicTokenKeys(em: EntityManager): Promise<PublicTokenKey[]> {
  const found = await tablesOf(em)
    .selectFrom('signing_key')
    .select(['kid', 'public_key'])
    .where('public_key', 'is not', null)
    .where(
      sql<boolean>`(retired_at is null
        or purpose = 'jwt' and retired_at > now() - ${tokenLifetimeSeconds + 3_600} * interval '1 second'
        or purpose = 'receipt' and retired_at > now() - ${receiptLifetimeDays + 1} * interval '1 day')`,
    )
    .orderBy('purpose')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .$narrowType<{ public_key: NotNull }>()
    .execute();
  return await Promise.all(
    found.map(async ({ kid, public_key: key }) => {
      const { x = '' } = await exportJWK(createPublicKey({ key, format: 'der', type: 'spki' }));
      return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x };
    }),
  );
}
