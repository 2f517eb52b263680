import type { EntityManager } from '../../platform/database/orm.ts';
import { accessTypeName } from '../tenancy/access-types.ts';
import type { AccessType, Tenant } from '../tenancy/tenant.ts';
import { explainAccess, type PathElement } from './explain-access.ts';
import type { PermissionProvider } from './provider/permission-provider.ts';
import { readAccess } from './read-access.ts';
import type { AccessQuery } from './effective-access-statement.ts';
import { resourceKindName, type Resource } from './resource.ts';
import { verdictOf, type PathRow, type LocatedRow, type Verdict } from './verdict.ts';

/** The decision for one user and one resource. */
export interface Decision {
  readonly userId: string;
  readonly resource: Resource;
  readonly verdict: Verdict;
  /** Effective access type; null when not needed, and for an organization. */
  readonly accessType: AccessType | null;
  /** See `explainAccess`; empty without `explain` and when the permission provider decides. */
  readonly path: readonly PathElement[];
}

/**
 * Decides for every user and resource, in the order of the query: by one statement, or by the customer's permission
 * provider when it is on. Holds no connection during provider calls.
 */
export async function decideAccess(
  em: EntityManager,
  tenant: Tenant,
  provider: PermissionProvider,
  query: AccessQuery,
): Promise<Decision[]> {
  if (tenant.switches.permissionProvider) {
    const decided = await provider.decide(tenant, query);
    return decided.map(([row, verdict]) => decision(row, verdict, null));
  }
  const found = await readAccess(em, tenant, query);
  return found.map((row) => decision(row, verdictOf(row), row.path));
}

function decision(row: LocatedRow, verdict: Verdict, path: readonly PathRow[] | null): Decision {
  return {
    userId: row.user_ext,
    resource: { type: resourceKindName(row.kind), id: row.ext_id, organizationId: row.org_ext_id },
    verdict,
    accessType: row.resource === null || row.type === null ? null : accessTypeName(row.type),
    path: path === null ? [] : explainAccess(row, path, verdict.reason),
  };
}
