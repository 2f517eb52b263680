import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { resolveResources, type PositionedResource } from './resolve-resources.ts';

/**
 * Takes grants from a user, all of them or none; memberships stay. Where there is no grant, and for a user whom nobody
 * knows, there is nothing to take; a resource that is unknown refuses, as a typing error must not look like a revocation.
 */
export async function revokePermissions(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
  resources: readonly PositionedResource[],
): Promise<void> {
  const known = await resolveResources(em, tenant, resources);
  // Of a row that another transaction changes meanwhile, MERGE judges the later form: no grant outlives its revocation.
  await sql`merge into access x using (
       select u.id as user_id, s.kind, s.resource_id from app_user u, unnest(
       ${known.map(({ row }) => row.kind)}::smallint[], ${known.map(({ row }) => row.resource)}::bigint[]) as s (kind, resource_id)
       where u.api_key_id = ${tenant.id} and u.ext_id = ${userId}) s
     on x.user_id = s.user_id and x.kind = s.kind and x.resource_id = s.resource_id
     when matched and x.is_member then update set grant_role = null, grant_expires_at = null
     when matched then delete`.execute(tablesOf(em));
}
