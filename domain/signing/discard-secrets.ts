import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { decrypts, requireOldestSecret } from './oldest-secret.ts';
import { signingKeyContext } from './signing-key-context.ts';

/**
 * Discards the deployment's secrets that the keys do not decrypt, so that their next use creates others. Returns their
 * ids. Run in one transaction. Throws when the keys do not decrypt the oldest secret either: then the keys are wrong.
 */
export async function discardSecrets(em: EntityManager, keyRing: KeyRing): Promise<readonly string[]> {
  await requireOldestSecret(em, keyRing);
  const stored = await tablesOf(em)
    .selectFrom('signing_key')
    .select(['kid', 'key_enc', 'public_key'])
    .orderBy('kid')
    // A rotation of the encryption keys may make a secret readable.
    .forUpdate()
    .execute();
  const lost = stored.filter((secret) => !decrypts(keyRing, secret));
  for (const { kid, public_key: publicKey } of lost) {
    if (publicKey === null) {
      await tablesOf(em).deleteFrom('signing_key').where('kid', '=', kid).execute();
      continue;
    }
    // Tokens and receipts that it signed stay valid. Every stored secret must be readable, so an empty one replaces it.
    await tablesOf(em)
      .updateTable('signing_key')
      .set({
        retired_at: sql`coalesce(retired_at, now())`,
        key_enc: keyRing.encrypt(Buffer.alloc(0), signingKeyContext(kid)),
      })
      .where('kid', '=', kid)
      .execute();
  }
  return lost.map(({ kid }) => kid);
}
