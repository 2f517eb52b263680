import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK } from 'jose';
import { sql, type NotNull } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookup } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { requireOldestSecret } from './oldest-secret.ts';
import { currentKey } from './signing-secret.ts';
import type { TokenKeyPurpose } from './signing-key.entity.ts';

/** Max lifetime of a token; a retired key is published at least that long. */
export const tokenLifetimeSeconds = 48 * 3_600;

/** Days for which a receipt is kept and valid. */
export const receiptLifetimeDays = 366;

/** The current signing key. */
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

/**
 * Returns the current key. The first call creates it; concurrent calls get the same key. Not cached, so a rotation
 * applies at once.
 */
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

/**
 * Retires the current key; its tokens stay valid. Run in one transaction. Returns the new key's id. Throws when the keys do
 * not decrypt the deployment's oldest secret: the API could not sign with the new key.
 */
export async function rotateTokenKey(em: EntityManager, keyRing: KeyRing): Promise<string> {
  await requireOldestSecret(em, keyRing);
  await tablesOf(em)
    .updateTable('signing_key')
    .set({ retired_at: sql`now()` })
    .where((row) => row.and({ purpose: 'jwt', retired_at: null }))
    .execute();
  return (await currentTokenKey(em, keyRing)).kid;
}

/**
 * Lists the keys of tokens that may still be valid, the newest first, then those of receipts. Adds an hour to the token
 * lifetime for tokens signed while their key was being retired. Concurrent calls share a statement.
 */
export async function publicTokenKeys(em: EntityManager): Promise<PublicTokenKey[]> {
  const published = tablesOf(em)
    .selectFrom('signing_key')
    .select(['kid', 'public_key'])
    .where('public_key', 'is not', null)
    .where(
      sql<boolean>`(retired_at is null
        or purpose = 'jwt' and retired_at > now() - ${sql.lit(tokenLifetimeSeconds + 3_600)} * interval '1 second'
        or purpose = 'receipt' and retired_at > now() - ${sql.lit(receiptLifetimeDays + 1)} * interval '1 day')`,
    )
    .orderBy('purpose')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .$narrowType<{ public_key: NotNull }>();
  const found = await lookup(em, published);
  return await Promise.all(
    found.map(async ({ kid, public_key: key }) => {
      const { x = '' } = await exportJWK(createPublicKey({ key, format: 'der', type: 'spki' }));
      return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x };
    }),
  );
}
