import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { quickRow, row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** An organization as statements name it: by its surrogate key. */
export interface ResolvedOrganization {
  readonly id: string;
}

/** For a read. Throws NOT_FOUND for an organization that is not this tenant's. */
export async function findOrganization(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
): Promise<ResolvedOrganization> {
  const found = await quickRow<ResolvedOrganization>(
    em,
    'select id from organization where api_key_id = $1 and ext_id = $2',
    [tenant.id, organizationId],
  );
  if (found === undefined) throw notFound(messages.organizationMissing);
  return found;
}

/**
 * For a write: locks the row FOR KEY SHARE, so that a deletion under way is waited for and one that comes later waits.
 * With `create` given (the operation has the flag `createOrganization`), makes it when that is true, named by its id.
 */
export async function lockOrganization(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
  create?: boolean,
): Promise<ResolvedOrganization> {
  if (create === true) {
    await row(
      em,
      'insert into organization (api_key_id, ext_id, name) values ($1, $2, $2) on conflict (api_key_id, ext_id) do nothing',
      [tenant.id, organizationId],
    );
  }
  const found = await row<ResolvedOrganization>(
    em,
    'select id from organization where api_key_id = $1 and ext_id = $2 for key share',
    [tenant.id, organizationId],
  );
  if (found === undefined) {
    throw notFound(create === undefined ? messages.organizationMissing : messages.organizationMissingFlag);
  }
  return found;
}
