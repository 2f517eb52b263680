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
