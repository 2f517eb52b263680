import { sql } from 'kysely';
import { z } from 'zod';
import { indexLookups } from '../../platform/database/planner.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { judgedMetadata, metadataPatch } from '../metadata.ts';
import { indexMetadata } from '../users/people-in-metadata.ts';
import { accessRoleNumbers } from '../tenancy/access-roles.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { storeAddresses } from '../users/user-addresses.ts';
import type { MembershipLevel } from './membership-level.ts';
import type { UserInput } from './user-input.ts';

/** A user whose row is locked. */
export type LockedUser = UserInput & { readonly id: string };

/** Every write to memberships calls this before its first statement on `access`: forces index lookups in the transaction. */
export async function lookupAccessByIndex(em: EntityManager): Promise<void> {
  await sql`select ${indexLookups}`.execute(tablesOf(em));
}

/**
 * Updates names, e-mails and metadata. Skips rows that would not change. Returns the users except those whose metadata
 * would be too large, which are not changed.
 */
export async function writeProfiles(
  em: EntityManager,
  tenant: Tenant,
  users: readonly LockedUser[],
): Promise<readonly LockedUser[]> {
  if (users.length === 0) return users;
  const patches = users.map(({ metadata }) => metadataPatch(metadata));
  const ids = users.map(({ id }) => id);
  const tooLarge = await rowsOf(
    em,
    IdRow,
    sql`with sent as (
      select * from unnest(${ids}::bigint[], ${users.map(({ name }) => name ?? null)}::text[],
        ${users.map(({ email }) => email ?? null)}::text[], ${patches.map(({ set }) => set)}::jsonb[],
        -- One text per record: unnest would flatten an array of arrays.
        ${patches.map(({ remove }) => JSON.stringify(remove))}::jsonb[]) as t (id, name, email, set, removed)),
    locked as (
      select u.id, coalesce(s.name, u.name) as name, coalesce(s.email, u.email) as email,
        u.metadata as stored, s.set, s.removed
      from sent s join app_user u on u.id = s.id
      where u.api_key_id = ${tenant.id} and u.id = any(${ids}) order by u.id for no key update of u),
    judged as materialized ${judgedMetadata(sql`locked`)},
    written as (
      update app_user u set name = j.name, email = j.email, metadata = j.metadata, updated_at = now()
      from judged j where u.id = j.id and j.fits
        and (u.name, u.email, u.metadata) is distinct from (j.name, j.email, j.metadata))
    select id from judged where not fits`,
  );
  const large = new Set(tooLarge.map(({ id }) => id));
  const written = large.size === 0 ? users : users.filter(({ id }) => !large.has(id));
  await indexMetadata(em, tenant, 'user', written, ({ id }) => id);
  const keys = new Map(written.map(({ userId, id }) => [userId, id]));
  const given = written.flatMap(({ userId, email = '' }) => (email === '' ? [] : [[userId, email] as const]));
  await storeAddresses(em, tenant, keys, given);
  return written;
}

const IdRow = z.strictObject({ id: z.string() });

const rolesOf = (users: readonly LockedUser[]): (number | null)[] =>
  users.map(({ accessRole }) => (accessRole === undefined ? null : accessRoleNumbers[accessRole]));

/** Adds memberships. An absent role and an existing grant are kept. Writes rows in key order, so that batches do not deadlock. */
export async function writeMemberships(
  em: EntityManager,
  tenant: Tenant,
  level: MembershipLevel,
  users: readonly LockedUser[],
): Promise<void> {
  if (users.length === 0) return;
  await sql`insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, member_role)
    select s.user_id, ${level.kind}, ${level.resource}, ${tenant.id}, ${level.organization}, s.user_ext, true, s.role
    from unnest(${users.map(({ id }) => id)}::bigint[], ${users.map(({ userId }) => userId)}::text[],
      ${rolesOf(users)}::smallint[]) as s (user_id, user_ext, role) order by s.user_id
    on conflict (user_id, kind, resource_id) do update
      set is_member = true, member_role = coalesce(excluded.member_role, access.member_role)
      where not access.is_member
        or coalesce(excluded.member_role, access.member_role) is distinct from access.member_role`.execute(
    tablesOf(em),
  );
}

/**
 * Sets roles of existing memberships, at one level or on every document of the organization. Conditions name users by key
 * and by id, so every index the planner may choose reads only their rows. The time limit of the statement is the only bound
 * on the documents of one user.
 */
export async function writeRoles(
  em: EntityManager,
  tenant: Tenant,
  level: MembershipLevel & { readonly everyDocument: boolean },
  users: readonly LockedUser[],
): Promise<void> {
  const withRole = users.filter(({ accessRole }) => accessRole !== undefined);
  if (withRole.length === 0) return;
  const ids = withRole.map(({ id }) => id);
  const resource = level.everyDocument
    ? sql`a.org_id = ${level.organization}`
    : sql`a.resource_id = ${level.resource}`;
  await sql`with sent as (select * from unnest(${ids}::bigint[], ${rolesOf(withRole)}::smallint[]) as t (user_id, role)),
    locked as (
      select a.user_id, a.user_ext, a.kind, a.resource_id, s.role from sent s join access a on a.user_id = s.user_id
      where a.api_key_id = ${tenant.id} and a.user_id = any(${ids}) and a.user_ext = any(${withRole.map(({ userId }) => userId)})
        and a.kind = ${level.kind} and a.is_member and ${resource}
      order by a.user_id, a.resource_id for no key update of a)
    update access a set member_role = l.role from locked l where a.user_id = l.user_id and a.user_ext = l.user_ext
      and a.kind = l.kind and a.resource_id = l.resource_id`.execute(tablesOf(em));
}
