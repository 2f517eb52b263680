import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockKnownUsers } from '../users/lock-known-users.ts';
import { refuseFencedUsers } from '../users/lock-users.ts';
import { resolveResources, type PositionedResource } from './resolve-resources.ts';

/**
 * Revokes grants of a user, all or none; memberships are kept. Ignores missing grants and unknown users. Rejects unknown
 * resources, because a typo must not look like a revocation. Throws FAILED_PRECONDITION while the user's data is being
 * deleted: the deletion removes and counts the grants.
 */
export async function revokePermissions(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
  resources: readonly PositionedResource[],
): Promise<void> {
  const resolved = await resolveResources(em, tenant, userId, resources);
  const users = await lockKnownUsers(em, tenant, [userId]);
  await refuseFencedUsers(em, users, [...new Set(resolved.map(({ row }) => row.organization))]);
  // MERGE rechecks rows that a concurrent transaction changed, so no grant outlives its revocation.
  await sql`merge into access x using (
       select u.id as user_id, s.kind, s.resource_id from app_user u, unnest(
       ${resolved.map(({ row }) => row.kind)}::smallint[], ${resolved.map(({ row }) => row.resource)}::bigint[]) as s (kind, resource_id)
       where u.api_key_id = ${tenant.id} and u.ext_id = ${userId}) s
     on x.user_id = s.user_id and x.kind = s.kind and x.resource_id = s.resource_id
     when matched and x.is_member then update set grant_role = null, grant_expires_at = null
     when matched then delete`.execute(tablesOf(em));
}
