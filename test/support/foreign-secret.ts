import { randomBytes } from 'node:crypto';
import { signingKeyContext } from '../../domain/signing/signing-key-context.ts';
import type { SigningPurpose, TokenKeyPurpose } from '../../domain/signing/signing-key.entity.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { TestDatabase } from './database.ts';

/** Stores a secret as a process with these keys did before it compared them with stored secrets. Returns its id. */
export async function storeForeignSecret(
  database: TestDatabase,
  keyRing: KeyRing,
  purpose: SigningPurpose | TokenKeyPurpose,
): Promise<string> {
  const kid = `${purpose}_${randomBytes(9).toString('base64url')}`;
  await database.sql('insert into signing_key (kid, purpose, key_enc) values ($1, $2, $3)', [
    kid,
    purpose,
    keyRing.encrypt(randomBytes(32), signingKeyContext(kid)),
  ]);
  return kid;
}
