import type { Database } from '../../platform/database/open-database.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { signingKeyContext } from './signing-secret.ts';

/**
 * Whether the keys decrypt the deployment's oldest current secret; true before there is one. Later secrets may stem from
 * a process with wrong keys, and must not make every other process unready.
 */
export async function decryptsOldestSecret({ orm, probe }: Database, keyRing: KeyRing): Promise<boolean> {
  const statement = tablesOf(orm.em.fork())
    .selectFrom('signing_key')
    .select(['kid', 'key_enc'])
    .where('retired_at', 'is', null)
    .orderBy('created_at')
    .orderBy('kid')
    .limit(1)
    .compile();
  const [oldest] = await probe<{ readonly kid: string; readonly key_enc: Buffer }>(statement);
  if (oldest === undefined) return true;
  try {
    keyRing.decryptBytes(oldest.key_enc, signingKeyContext(oldest.kid));
    return true;
  } catch {
    return false;
  }
}
