import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { lookUpByIndex } from '../../platform/database/look-ups.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** The place above all folders, as the wire names it. It has no row. */
export const rootFolder = 'root';

/** Folders from the top one down to the deepest, the root not counted. */
export const deepestFolder = 64;

/**
 * Every write to the folders of an organization calls this before it reads them, and looks folders up by index from then
 * on: two opposite moves would otherwise make a cycle that neither sees. A statement of its own, so that the next one
 * sees what the holder before us committed. Two organizations may share a number; then they wait for each other, and
 * nothing worse.
 */
export async function lockFolderTree(em: EntityManager, organization: ResolvedOrganization): Promise<void> {
  await lockFolderTrees(em, [organization]);
}

/** The same for several organizations, always in one order. */
export async function lockFolderTrees(
  em: EntityManager,
  organizations: readonly ResolvedOrganization[],
): Promise<void> {
  await rows(
    em,
    `select pg_advisory_xact_lock($1::integer, t.tree), ${lookUpByIndex}
     from (select distinct hashint8(o.id) as tree from unnest($2::bigint[]) as o (id) order by 1) t`,
    [advisoryLocks.folderTree, organizations.map(({ id }) => id)],
  );
}

/**
 * SQL: the folders directly below one, for the recursive part of a statement whose `$1` is the tenant and `$2` the
 * organization. `offset 0` keeps the look-up apart, by the parent alone: the planner cannot know how few rows a recursion
 * holds, and may take one organization for as small as one folder.
 */
export const liveChildren = (parent: string): string =>
  `(select child.id, child.ext_id from (select f.id, f.ext_id, f.api_key_id, f.org_id, f.deleted_at from folder f
      where f.parent_id = ${parent} offset 0) child
    where child.api_key_id = $1 and child.org_id = $2 and child.deleted_at is null)`;
