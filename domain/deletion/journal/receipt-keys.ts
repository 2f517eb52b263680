import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { signingKeyContext } from '../../signing/signing-key-context.ts';
import { signingSecret } from '../../signing/signing-secret.ts';
import { currentTokenKey } from '../../signing/token-keys.ts';
import { tablesOf } from '../../tables.ts';
import type { SigningKeyCopy } from './deletion-entry.ts';

const purposes = ['receipt', 'receipt-users'] as const;

/** Returns the current keys of receipts and pseudonyms in plain text; creates those that do not exist. */
export async function copyReceiptKeys(em: EntityManager, keyRing: KeyRing): Promise<SigningKeyCopy[]> {
  await signingSecret(em, keyRing, 'receipt-users');
  await currentTokenKey(em, keyRing, 'receipt');
  const keys = await tablesOf(em)
    .selectFrom('signing_key')
    .select(['kid', 'purpose', 'key_enc', 'public_key'])
    .where('purpose', 'in', purposes)
    .where('retired_at', 'is', null)
    .$narrowType<{ purpose: SigningKeyCopy['purpose'] }>()
    .execute();
  return keys.map(({ kid, purpose, key_enc: sealed, public_key: publicKey }) => ({
    kid,
    purpose,
    secret: keyRing.decryptBytes(sealed, signingKeyContext(kid)).toString('base64'),
    publicKey: publicKey?.toString('base64') ?? null,
  }));
}

/**
 * Stores keys that the restored database does not have, so that receipts signed after its backup verify and users keep
 * their pseudonyms. A key of pseudonyms becomes the current one: no receipt has pseudonyms of a key created since.
 */
export async function adoptReceiptKeys(
  em: EntityManager,
  keyRing: KeyRing,
  copies: readonly SigningKeyCopy[],
): Promise<void> {
  for (const { kid, purpose, secret, publicKey } of copies) {
    const keys = tablesOf(em).selectFrom('signing_key').select('kid');
    if ((await keys.where('kid', '=', kid).executeTakeFirst()) !== undefined) continue;
    const current = { purpose, retired_at: null };
    if (purpose === 'receipt-users') {
      await tablesOf(em)
        .updateTable('signing_key')
        .set({ retired_at: sql`now()` })
        .where((row) => row.and(current))
        .execute();
    }
    const taken = await keys.where((row) => row.and(current)).executeTakeFirst();
    await tablesOf(em)
      .insertInto('signing_key')
      .values({
        kid,
        purpose,
        key_enc: keyRing.encrypt(Buffer.from(secret, 'base64'), signingKeyContext(kid)),
        public_key: publicKey === null ? null : Buffer.from(publicKey, 'base64'),
        retired_at: taken === undefined ? null : sql`now()`,
      })
      .execute();
  }
}
