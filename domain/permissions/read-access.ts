import type { EntityManager } from '../../platform/database/orm.ts';
import { lookupOf, rowsOf } from '../../platform/database/statements.ts';
import { effectiveAccess, type AccessQuery } from './effective-access-statement.ts';
import type { AccessTenant } from './resources-with-ancestors.ts';
import { FoundAccess, type AccessRow } from './verdict.ts';

/** Max pairs that may share a batched lookup: a batch waits for its slowest query. */
const maxLookupPairs = 4;

/** Reads every user and resource, or every pair, in one statement, in the order of the query. */
export async function readAccess(
  em: EntityManager,
  tenant: AccessTenant,
  query: AccessQuery,
): Promise<AccessRow[]> {
  const pairs = query.userIds.length * (query.paired === true ? 1 : query.resources.length);
  const read = pairs <= maxLookupPairs ? lookupOf : rowsOf;
  const found = await read(em, FoundAccess, effectiveAccess(tenant, query));
  return found.map(({ user_ordinal, ...row }) => {
    const user_ext = query.userIds[user_ordinal - 1];
    const resource = query.resources[row.ordinal - 1];
    if (user_ext === undefined || resource === undefined) throw new Error('access of an unknown pair');
    return { ...row, user_ext, ext_id: resource.id, org_ext_id: resource.organizationId };
  });
}
