import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';

/*
 * Selects workspaces for operators, without secrets.
 */

export interface RowsAfter {
  /** A surrogate key. */
  readonly after: string | undefined;
  readonly limit: number;
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
