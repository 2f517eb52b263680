import type { Database } from '../../platform/database/open-database.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { purposes } from './signing-key.entity.ts';
import { signingKeyContext } from './signing-key-context.ts';

/** Why a process must not use these keys. */
export const otherKeys =
  'STEWARD_ENCRYPTION_KEYS does not decrypt the stored secrets. Run: npm run cli -- doctor';

/** A stored secret in encrypted form. */
interface SealedSecret {
  readonly kid: string;
  readonly key_enc: Buffer;
}

/**
 * Whether the keys decrypt the deployment's oldest current secret; true before there is one. Later secrets may stem from
 * a process with wrong keys, and must not make every other process unready.
 */
export async function decryptsOldestSecret({ orm, probe }: Database, keyRing: KeyRing): Promise<boolean> {
  const [oldest] = await probe<SealedSecret>(oldestSecret(orm.em.fork()).compile());
  return oldest === undefined || decrypts(keyRing, oldest);
}

/**
 * Throws when the keys do not decrypt the oldest current secret. Otherwise a process with wrong keys could create a
 * secret that every other process needs and cannot read.
 */
export async function requireOldestSecret(em: EntityManager, keyRing: KeyRing): Promise<void> {
  const oldest = await oldestSecret(em).executeTakeFirst();
  if (oldest !== undefined && !decrypts(keyRing, oldest)) throw new Error(otherKeys);
}

const oldestSecret = (em: EntityManager) =>
  tablesOf(em)
    .selectFrom('signing_key')
    .select(['kid', 'key_enc'])
    // All purposes, by the index of current secrets.
    .where('purpose', 'in', purposes)
    .where('retired_at', 'is', null)
    .orderBy('created_at')
    .orderBy('kid')
    .limit(1);

export function decrypts(keyRing: KeyRing, { kid, key_enc: sealed }: SealedSecret): boolean {
  try {
    keyRing.decryptBytes(sealed, signingKeyContext(kid));
    return true;
  } catch {
    return false;
  }
}
