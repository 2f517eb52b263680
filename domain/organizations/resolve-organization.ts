import type { EntityManager } from '../../platform/database/orm.ts';
import { lookup } from '../../platform/database/statements.ts';
import { isOpen, refuseClosed } from '../closed-rows.ts';
import { createAndLock } from '../create-and-lock.ts';
import { notFound, type DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';

/** An organization by its surrogate key. */
export interface ResolvedOrganization {
  readonly id: string;
}

/** Finds an organization for a read. Throws NOT_FOUND for an organization that is not this tenant's. */
export async function findOrganization(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
): Promise<ResolvedOrganization> {
  const [found] = await lookup(em, organizationOf(em, tenant, organizationId));
  if (found === undefined) throw notFound(messages.organizationMissing);
  return found;
}

/**
 * Locks an organization FOR KEY SHARE for a write: waits for a running deletion and blocks a later one. `create` is the
 * operation's flag `createOrganization`, undefined if it has none: true creates a missing organization, named by its id.
 * Throws ABORTED while a deletion waits for other writers.
 */
export async function lockOrganization(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
  create?: boolean,
): Promise<ResolvedOrganization> {
  const wanted = organizationOf(em, tenant, organizationId).where(isOpen('organization')).forKeyShare();
  if (create === true) {
    return createAndLock(
      async () => insertBare(em, tenant, organizationId),
      async () => {
        const created = await wanted.executeTakeFirst();
        if (created === undefined) await refuseClosed(em, 'organization', tenant, [organizationId]);
        return created;
      },
    );
  }
  const found = await wanted.executeTakeFirst();
  if (found === undefined) {
    const text = create === undefined ? messages.organizationMissing : messages.organizationMissingFlag;
    throw await organizationMissing(em, tenant, organizationId, text);
  }
  return found;
}

/** Returns NOT_FOUND with `text` for a write. Throws ABORTED while a deletion waits for the organization. */
export async function organizationMissing(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
  text: string,
): Promise<DomainError> {
  await refuseClosed(em, 'organization', tenant, [organizationId]);
  return notFound(text);
}

async function insertBare(em: EntityManager, tenant: Tenant, organizationId: string): Promise<void> {
  const { numInsertedOrUpdatedRows: created } = await tablesOf(em)
    .insertInto('organization')
    .values({ api_key_id: tenant.id, ext_id: organizationId, name: organizationId })
    .onConflict((conflict) => conflict.columns(['api_key_id', 'ext_id']).doNothing())
    .executeTakeFirstOrThrow();
  countUsage(em, tenant.id, 'organizations', Number(created));
}

const organizationOf = (em: EntityManager, tenant: Tenant, organizationId: string) =>
  tablesOf(em)
    .selectFrom('organization')
    .select('id')
    .where('api_key_id', '=', tenant.id)
    .where('ext_id', '=', organizationId);
