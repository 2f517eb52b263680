import type { EntityManager } from '../../platform/database/orm.ts';
import { lookupOf, rowsOf } from '../../platform/database/statements.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { effectiveAccess } from './effective-access-statement.ts';
import type { Resource } from './resource.ts';
import { FoundAccess, type AccessRow } from './verdict.ts';

/** Users and resources whose access is queried. */
export interface AccessQuery {
  readonly userIds: readonly string[];
  readonly resources: readonly Resource[];
  /** Decides each user only for the resource at the same index, instead of every user for every resource. */
  readonly paired?: boolean;
  /** Returns the effective access type even when a grant or membership decides. */
  readonly types?: boolean;
  /** Returns the path from the resource to its organization. */
  readonly explain?: boolean;
  /** Evaluates access at this moment instead of now. */
  readonly moment?: Date;
}

/** Max pairs that may share a batched lookup: a batch waits for its slowest query. */
const maxLookupPairs = 4;

/** Reads every user and resource, or every pair, in one statement, in the order of the query. */
export async function readAccess(
  em: EntityManager,
  tenant: Tenant,
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
