import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** The place above all folders, as the wire names it. It has no row. */
export const rootFolder = 'root';

/** Folders from the top one down to the deepest, the root not counted. */
export const deepestFolder = 64;

/**
 * Advisory locks with two arguments never meet those with one (idempotency keys, migrations of the schema). This number
 * keeps the trees of organizations apart from whatever takes two arguments later.
 */
const treeLocks = 1;

/**
 * Every write to the folders of an organization calls this before it reads them: two opposite moves would otherwise make a
 * cycle that neither sees. A statement of its own, so that the next one sees what the holder before us committed.
 * Two organizations may share a number; then they wait for each other, and nothing worse.
 */
export async function lockFolderTree(em: EntityManager, organization: ResolvedOrganization): Promise<void> {
  await row(em, 'select pg_advisory_xact_lock($1::integer, hashint8($2::bigint))', [
    treeLocks,
    organization.id,
  ]);
}

/**
 * SQL: the folders directly below one, for the recursive part of a statement whose `$1` is the tenant and `$2` the
 * organization. `offset 0` keeps it a look-up by index for each parent: the planner cannot know how few rows a recursion
 * holds, and would read the whole table again on every level.
 */
export const liveChildren = (parent: string): string =>
  `(select f.id from folder f where f.parent_id = ${parent} and f.api_key_id = $1 and f.org_id = $2
    and f.deleted_at is null offset 0)`;
