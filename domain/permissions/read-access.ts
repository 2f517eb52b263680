import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookupOf, rowsOf } from '../../platform/database/statements.ts';
import { effectiveAccess } from './effective-access-statement.ts';
import type { Resource } from './resource.ts';
import { AccessRow } from './verdict.ts';

/** Whose access to what is asked. */
export interface AccessQuery {
  readonly userIds: readonly string[];
  readonly resources: readonly Resource[];
  /** Wants the access type in force also where something nearer decides. */
  readonly types?: boolean;
  /** Wants the places on the way upward. */
  readonly explain?: boolean;
  /** The moment that is asked about; now unless given. */
  readonly moment?: Date;
}

/** Pairs of user and resource that are decided in a fraction of a millisecond: others may wait for them. */
const few = 4;

/** Every user with every resource, in the order of the question: one statement, whatever their number. */
export async function readAccess(
  em: EntityManager,
  tenant: Tenant,
  question: AccessQuery,
): Promise<AccessRow[]> {
  const read = question.userIds.length * question.resources.length <= few ? lookupOf : rowsOf;
  return read(em, AccessRow, effectiveAccess(tenant, question));
}
