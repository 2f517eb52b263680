import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import { readWorkspace, type RowsAfter } from './read-workspaces.ts';

/*
 * Selects keys for operators, without secrets.
 */

const keysOf = (em: EntityManager) =>
  tablesOf(em)
    .selectFrom('api_key as k')
    .innerJoin('workspace as w', 'w.id', 'k.workspace_id')
    .select(['k.id', 'k.public_id as keyId', 'w.public_id as workspaceId', 'k.name', 'k.type'])
    .select(['k.owner_email as ownerEmail', 'k.created_at as createdAt', 'k.disabled_at as disabledAt'])
    .select(['k.disabled_by as disabledBy', 'k.workspace_disabled_at as workspaceDisabledAt'])
    .where('k.deleted_at', 'is', null);

/** A key; `id` is its surrogate key. */
export type KeyDetails = Awaited<ReturnType<typeof listKeys>>[number];

/** Lists keys in order of creation: of one workspace, by public id, or of all. */
export async function listKeys(
  em: EntityManager,
  { after = '0', limit, workspaceId }: RowsAfter & { readonly workspaceId?: string | undefined },
) {
  const page = keysOf(em).where('k.id', '>', after).orderBy('k.id').limit(limit);
  if (workspaceId === undefined) return page.execute();
  const { id } = await readWorkspace(em, workspaceId);
  return page.where('k.workspace_id', '=', id).execute();
}

/** Throws NOT_FOUND for an unknown or deleted key. */
export async function readKey(em: EntityManager, keyId: string): Promise<KeyDetails> {
  const found = await keysOf(em).where('k.public_id', '=', keyId).executeTakeFirst();
  if (found === undefined) throw notFound(messages.apiKeyMissing);
  return found;
}
