import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';

/*
 * Selects keys and workspaces for operators, without secrets.
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

interface RowsAfter {
  /** A surrogate key. */
  readonly after: string | undefined;
  readonly limit: number;
}

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

const workspacesOf = (em: EntityManager) =>
  tablesOf(em)
    .selectFrom('workspace')
    .select(['id', 'public_id as workspaceId', 'name', 'owner_email as ownerEmail'])
    .select(['created_at as createdAt', 'disabled_at as disabledAt']);

/** A workspace; `id` is its surrogate key. */
export type WorkspaceDetails = Awaited<ReturnType<typeof listWorkspaces>>[number];

/** Lists workspaces in order of creation. */
export async function listWorkspaces(em: EntityManager, { after = '0', limit }: RowsAfter) {
  return workspacesOf(em).where('id', '>', after).orderBy('id').limit(limit).execute();
}

/** Throws NOT_FOUND. */
export async function readWorkspace(em: EntityManager, workspaceId: string): Promise<WorkspaceDetails> {
  const found = await workspacesOf(em).where('public_id', '=', workspaceId).executeTakeFirst();
  if (found === undefined) throw notFound(messages.workspaceMissing);
  return found;
}
