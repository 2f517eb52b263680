import { randomBytes } from 'node:crypto';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing, SecretPlace } from '../../platform/encryption/key-ring.ts';

/** What a deployment-wide secret is for. */
export type SigningPurpose = 'cursor' | 'receipt-users' | 'idempotency';

/** Where the secret half of a signing key is sealed. */
export const signingKeyPlace = (kid: string): SecretPlace => ({
  table: 'signing_key',
  column: 'key_enc',
  row: kid,
  tenant: '',
});

/** The deployment's current secret for a purpose, made by whoever asks first; two who ask at once get the same. */
export async function signingSecret(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: SigningPurpose,
): Promise<Buffer> {
  const known = await current(em, keyRing, purpose);
  if (known !== undefined) return known;
  const kid = `${purpose}_${randomBytes(9).toString('base64url')}`;
  await rows(
    em,
    `insert into signing_key (kid, purpose, key_enc) values ($1, $2, $3)
     on conflict (purpose) where retired_at is null do nothing`,
    [kid, purpose, keyRing.encrypt(randomBytes(32), signingKeyPlace(kid))],
  );
  const made = await current(em, keyRing, purpose);
  if (made === undefined) throw new Error(`No signing key for ${purpose}.`);
  return made;
}

async function current(
  em: EntityManager,
  keyRing: KeyRing,
  purpose: SigningPurpose,
): Promise<Buffer | undefined> {
  const found = await row<{ kid: string; key_enc: Buffer }>(
    em,
    'select kid, key_enc from signing_key where purpose = $1 and retired_at is null',
    [purpose],
  );
  return found && keyRing.decryptBytes(found.key_enc, signingKeyPlace(found.kid));
}
