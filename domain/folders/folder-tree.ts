import { sql, type RawBuilder } from 'kysely';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { indexLookups } from '../../platform/database/planner.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Wire id of the level above all folders. It has no row. */
export const rootFolder = 'root';

/** Max nesting depth, not counting the root. */
export const maxFolderDepth = 64;

/**
 * Every write to folders of an organization calls this before it reads them: two opposite moves could otherwise create a
 * cycle. A separate statement, so that the next one sees what the previous holder committed. Also forces index lookups.
 * Organizations whose hashes collide wait for each other.
 */
export async function lockFolderTree(em: EntityManager, organization: ResolvedOrganization): Promise<void> {
  await lockFolderTrees(em, [organization]);
}

/** `lockFolderTree` for several organizations, in a fixed order. */
export async function lockFolderTrees(
  em: EntityManager,
  organizations: readonly ResolvedOrganization[],
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.folderTree}::integer, t.tree), ${indexLookups}
    from (select distinct hashint8(o.id) as tree from unnest(${organizations.map(({ id }) => id)}::bigint[]) as o (id)
      order by 1) t`.execute(tablesOf(em));
}

/**
 * SQL: the folders directly below `parent`, for the recursive part of a statement. `offset 0` forces the lookup by parent:
 * the planner overestimates recursive rows and may prefer the index by organization.
 */
export const liveChildren = (
  tenant: Tenant,
  organization: ResolvedOrganization,
  parent: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(select child.id, child.ext_id from (select f.id, f.ext_id, f.api_key_id, f.org_id, f.deleted_at from folder f
      where f.parent_id = ${parent} offset 0) child
    where child.api_key_id = ${tenant.id} and child.org_id = ${organization.id} and child.deleted_at is null)`;
