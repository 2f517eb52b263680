import { randomBytes } from 'node:crypto';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { requireOldestSecret } from './oldest-secret.ts';
import { signingKeyContext } from './signing-key-context.ts';
import type { TokenKeyPurpose, SigningPurpose } from './signing-key.entity.ts';

/** Returns the deployment's current secret for a purpose. The first call creates it; concurrent calls get the same secret. */
export async function signingSecret(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: SigningPurpose,
): Promise<Buffer> {
  const { secret } = await currentKey(em, keyRing, purpose, () => ({ secret: randomBytes(32) }));
  return secret;
}

/** A key in plain text; only token keys have a `publicKey`. */
interface NewKey {
  readonly secret: Buffer;
  readonly publicKey?: Buffer | null;
}

/** Returns the current key of a purpose; creates the first with `make`, unless the keys do not decrypt older secrets. */
export async function currentKey(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: SigningPurpose | TokenKeyPurpose,
  make: () => NewKey,
): Promise<{ readonly kid: string; readonly secret: Buffer }> {
  const keys = tablesOf(em)
    .selectFrom('signing_key')
    .select(['kid', 'key_enc'])
    .where((row) => row.and({ purpose, retired_at: null }));
  let found = await keys.executeTakeFirst();
  if (found === undefined) {
    await requireOldestSecret(em, keyRing);
    await addKey(em, keyRing, purpose, make());
    found = await keys.executeTakeFirstOrThrow();
  }
  return { kid: found.kid, secret: keyRing.decryptBytes(found.key_enc, signingKeyContext(found.kid)) };
}

async function addKey(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: SigningPurpose | TokenKeyPurpose,
  { secret, publicKey = null }: NewKey,
): Promise<void> {
  const kid = `${purpose}_${randomBytes(9).toString('base64url')}`;
  const sealed = keyRing.encrypt(secret, signingKeyContext(kid));
  await tablesOf(em)
    .insertInto('signing_key')
    .values({ kid, purpose, key_enc: sealed, public_key: publicKey })
    .onConflict((conflict) => conflict.column('purpose').where('retired_at', 'is', null).doNothing())
    .execute();
}
