import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { invalidMember } from '../errors.ts';
import { pseudonymsInKeys } from '../signing/pseudonyms.ts';
import { tablesOf } from '../tables.ts';

/** Max API keys to look in for a user. */
const maxKeys = 1_000;

/** The keys to look in: one by its public id, those of a workspace by its surrogate key, or all. */
export interface UserScope {
  readonly keyId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** Returns the targets of entries about a user: the pseudonym in each key. Throws INVALID_ARGUMENT beyond 1,000 keys. */
export async function userTargets(
  em: EntityManager,
  keyRing: KeyRing,
  { keyId, workspaceId }: UserScope,
  userId: string,
): Promise<string[]> {
  let keys = tablesOf(em)
    .selectFrom('api_key')
    .select('id')
    .where('id', '>', '0')
    .orderBy('id')
    .limit(sql.lit(maxKeys + 1));
  if (keyId !== undefined) keys = keys.where('public_id', '=', keyId);
  if (workspaceId !== undefined) keys = keys.where('workspace_id', '=', workspaceId);
  const found = await keys.execute();
  if (found.length > maxKeys)
    throw invalidMember(
      'keyId',
      `keyId is required with userId, because there are more than ${String(maxKeys)} API keys.`,
    );
  return pseudonymsInKeys(
    em,
    keyRing,
    found.map(({ id }) => id),
    userId,
  );
}
