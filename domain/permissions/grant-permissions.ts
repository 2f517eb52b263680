import { sql } from 'kysely';
import { required } from '../../platform/process/required.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { accessRoleNumbers } from '../tenancy/access-roles.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockUsers, refuseFencedUsers } from '../users/lock-users.ts';
import { resolveResources, type ResolvedResource } from './resolve-resources.ts';
import type { CreateFlags } from './create-resources.ts';
import type { Grant } from './resource.ts';

/**
 * Grants a user access to resources, all or none. An existing grant takes the new role and expiry; memberships are kept.
 * Creates an unknown user. Returns the user's surrogate key.
 */
export async function grantPermissions(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
  { grants, flags }: { readonly grants: readonly Grant[]; readonly flags?: CreateFlags },
): Promise<string> {
  const resolved = await resolveResources(em, tenant, userId, grants, flags);
  return writeGrants(em, tenant, userId, resolved);
}

/** Grants like `grantPermissions`, for resources that are already locked. */
export async function writeGrants(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
  grants: readonly ResolvedResource<Grant>[],
): Promise<string> {
  const users = await lockUsers(em, tenant, [userId]);
  const user = required(users.get(userId), 'key of a locked user');
  await refuseFencedUsers(em, users, [...new Set(grants.map(({ row }) => row.organization))]);
  if (grants.length === 0) return user;
  await sql`
    insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role, grant_expires_at)
    select ${user}, s.kind, s.resource_id, ${tenant.id}, s.org_id, ${userId}, false, s.role, to_timestamp(s.until)
    from unnest(${grants.map(({ row }) => row.kind)}::smallint[], ${grants.map(({ row }) => row.resource)}::bigint[],
      ${grants.map(({ row }) => row.organization)}::bigint[],
      ${grants.map(({ accessRole }) => accessRoleNumbers[accessRole])}::smallint[],
      ${grants.map(({ expiresAt }) => expiresAt ?? null)}::float8[]) as s (kind, resource_id, org_id, role, until)
    order by s.kind, s.resource_id
    on conflict (user_id, kind, resource_id) do update
    set grant_role = excluded.grant_role, grant_expires_at = excluded.grant_expires_at`.execute(tablesOf(em));
  return user;
}
