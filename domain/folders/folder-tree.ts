import { sql, type RawBuilder } from 'kysely';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { indexLookups } from '../../platform/database/planner.ts';
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
  await sql`select pg_advisory_xact_lock(${advisoryLocks.folderTree}::integer, t.tree), ${indexLookups}
    from (select distinct hashint8(o.id) as tree from unnest(${organizations.map(({ id }) => id)}::bigint[]) as o (id)
      order by 1) t`.execute(tablesOf(em));
}

/**
 * The folders directly below one, for the recursive part of a statement. `offset 0` keeps the look-up apart, by the parent
 * alone: the planner cannot know how few rows a recursion holds, and may take one organization for as small as one folder.
 */
export const liveChildren = (
  tenant: Tenant,
  organization: ResolvedOrganization,
  parent: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(select child.id, child.ext_id from (select f.id, f.ext_id, f.api_key_id, f.org_id, f.deleted_at from folder f
      where f.parent_id = ${parent} offset 0) child
    where child.api_key_id = ${tenant.id} and child.org_id = ${organization.id} and child.deleted_at is null)`;
