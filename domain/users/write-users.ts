import { indexMetadata, metadataPatch } from '../metadata.ts';
import { accessRoleNumber } from '../tenancy/access-roles.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lookUpByIndex } from '../../platform/database/look-ups.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Level } from './membership-level.ts';
import type { UserInput } from './user-input.ts';
import { learnAddresses } from './user-addresses.ts';

/** A user whose row is locked. */
export type LockedUser = UserInput & { readonly id: string };

/** Every write to memberships calls this before its first statement over `access`; they are planned in no other way. */
export async function lookUpAccessByIndex(em: EntityManager): Promise<void> {
  await row(em, `select ${lookUpByIndex}`);
}

/** Names, e-mails and the rest of profiles. A row that would not change is not written. */
export async function writeProfiles(
  em: EntityManager,
  tenant: Tenant,
  users: readonly LockedUser[],
): Promise<void> {
  if (users.length === 0) return;
  const patches = users.map(({ metadata }) => metadataPatch(metadata));
  await rows(
    em,
    `with sent as (
       select * from unnest($2::bigint[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[]) as t (id, name, email, metadata, removed)),
     locked as (
       select u.id, coalesce(s.name, u.name) as name, coalesce(s.email, u.email) as email,
         (u.metadata || s.metadata) - array(select jsonb_array_elements_text(s.removed)) as metadata
       from sent s join app_user u on u.id = s.id
       where u.api_key_id = $1 and u.id = any($2) order by u.id for no key update of u)
     update app_user u set name = l.name, email = l.email, metadata = l.metadata, updated_at = now()
     from locked l where u.id = l.id and (u.name, u.email, u.metadata) is distinct from (l.name, l.email, l.metadata)`,
    [
      tenant.id,
      users.map(({ id }) => id),
      users.map(({ name }) => name ?? null),
      users.map(({ email }) => email ?? null),
      patches.map(({ set }) => set),
      // One text a record: unnest would flatten an array of arrays.
      patches.map(({ remove }) => JSON.stringify(remove)),
    ],
  );
  await indexMetadata(em, tenant, 'user', users, ({ id }) => id);
  const keys = new Map(users.map(({ userId, id }) => [userId, id]));
  const given = users.flatMap(({ userId, email = '' }) => (email === '' ? [] : [[userId, email] as const]));
  await learnAddresses(em, tenant, keys, given);
}

const rolesOf = (users: readonly LockedUser[]): (number | null)[] =>
  users.map(({ accessRole }) => (accessRole === undefined ? null : accessRoleNumber(accessRole)));

/** Makes members; a role that is not given stays, and a grant beside it stays as well. Rows go in the order of their keys. */
export async function writeMemberships(
  em: EntityManager,
  tenant: Tenant,
  level: Level,
  users: readonly LockedUser[],
): Promise<void> {
  await rows(
    em,
    `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, member_role)
     select s.user_id, $2, $3, $1, $4, s.user_ext, true, s.role
     from unnest($5::bigint[], $6::text[], $7::smallint[]) as s (user_id, user_ext, role) order by s.user_id
     on conflict (user_id, kind, resource_id) do update
       set is_member = true, member_role = coalesce(excluded.member_role, access.member_role)
       where not access.is_member or coalesce(excluded.member_role, access.member_role) is distinct from access.member_role`,
    [
      tenant.id,
      level.kind,
      level.resource,
      level.organization,
      users.map(({ id }) => id),
      users.map(({ userId }) => userId),
      rolesOf(users),
    ],
  );
}

/**
 * Sets roles of memberships that stand, at one level or at every document of the organization. Users are named by key and
 * by id: then each index that the planner may take leads to their rows alone.
 */
export async function writeRoles(
  em: EntityManager,
  tenant: Tenant,
  level: Level & { readonly everyDocument: boolean },
  users: readonly LockedUser[],
): Promise<void> {
  const withRole = users.filter(({ accessRole }) => accessRole !== undefined);
  if (withRole.length === 0) return;
  await rows(
    em,
    `with sent as (select * from unnest($4::bigint[], $5::smallint[]) as t (user_id, role)),
     locked as (
       select a.user_id, a.user_ext, a.kind, a.resource_id, s.role from sent s join access a on a.user_id = s.user_id
       where a.api_key_id = $1 and a.user_id = any($4) and a.user_ext = any($6) and a.kind = $2 and a.is_member
         and ${level.everyDocument ? 'a.org_id' : 'a.resource_id'} = $3
       order by a.user_id, a.resource_id for no key update of a)
     update access a set member_role = l.role from locked l
     where a.user_id = l.user_id and a.user_ext = l.user_ext and a.kind = l.kind and a.resource_id = l.resource_id`,
    [
      tenant.id,
      level.kind,
      level.everyDocument ? level.organization : level.resource,
      withRole.map(({ id }) => id),
      rolesOf(withRole),
      withRole.map(({ userId }) => userId),
    ],
  );
}
