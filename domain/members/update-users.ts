import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, anyOfIds, rowsOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { metadataTooLarge } from '../metadata.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockPeople } from '../users/lock-named.ts';
import { peopleInMetadata, peopleOfExisting } from '../users/people-in-metadata.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockKnownUsers } from '../users/lock-known-users.ts';
import { refuseFencedUsers, type LockedUsers } from '../users/lock-users.ts';
import { userTexts } from '../users/user-texts.ts';
import { lockLevel, type MembershipLevel, type LevelRequest } from './membership-level.ts';
import type { UserInput } from './user-input.ts';
import { lookupAccessByIndex, writeProfiles, writeRoles } from './write-users.ts';

/** Users whose profiles a call may update: members at one level, of any document of an organization, or all users of the key. */
export type ProfileUpdateScope =
  | { readonly of: 'level'; readonly level: LevelRequest }
  | { readonly of: 'documents'; readonly organizationId: string }
  | { readonly of: 'key'; readonly organizationId: string | undefined };

/**
 * Updates users. Users outside the scope, or whose metadata would be too large, fail alone. A profile belongs to the key,
 * so updates show in every organization.
 */
export async function updateUsers(
  em: EntityManager,
  tenant: Tenant,
  scope: ProfileUpdateScope,
  users: readonly UserInput[],
): Promise<Outcomes> {
  const userIds = users.map(({ userId }) => userId);
  const named = peopleInMetadata(users, userIds);
  const level = await lockScope(em, tenant, scope, userIds);
  const locked = await lockKnownUsers(em, tenant, userIds);
  const organizations = level === undefined ? null : [level.organization];
  await refuseFencedUsers(em, locked, organizations);
  const people = named && peopleOfExisting(users, named, ({ userId }) => locked.has(userId));
  if (people !== undefined) await lockPeople(em, tenant, people, organizations);
  await lookupAccessByIndex(em);
  const members = scope.of === 'key' ? locked : await membersAmong(em, tenant, level, locked);
  const found = users.flatMap((user) => {
    const id = members.get(user.userId);
    return id === undefined ? [] : [{ ...user, id }];
  });
  const written = await writeProfiles(em, tenant, found);
  if (level !== undefined) await writeRoles(em, tenant, level, written);
  return outcomes(userIds, new Set(written.map(({ userId }) => userId)), {
    ok: () => done('User updated.'),
    otherwise: (id) => (members.has(id) ? metadataTooLarge() : failed('not-found', userTexts.missing)),
  });
}

type ScopeLevel = MembershipLevel & { readonly everyDocument: boolean };

/** Locks the level of a scope. Undefined if the scope names no organization. */
async function lockScope(
  em: EntityManager,
  tenant: Tenant,
  scope: ProfileUpdateScope,
  userIds: readonly string[],
): Promise<ScopeLevel | undefined> {
  const organizationId = scope.of === 'level' ? scope.level.organizationId : scope.organizationId;
  if (organizationId === undefined) return undefined;
  return refusingFencedFirst(em, tenant, { organizationId, userIds }, async () => {
    if (scope.of === 'level') return { ...(await lockLevel(em, tenant, scope.level)), everyDocument: false };
    return everyDocumentOf(await lockOrganization(em, tenant, organizationId));
  });
}

function everyDocumentOf({ id }: ResolvedOrganization): ScopeLevel {
  const kind = resourceKindNumbers.document;
  return { organization: id, kind, resource: id, everyDocument: true };
}

const MemberRow = z.strictObject({ user_id: z.string() });

async function membersAmong(
  em: EntityManager,
  tenant: Tenant,
  level: ScopeLevel | undefined,
  users: LockedUsers,
): Promise<LockedUsers> {
  if (level === undefined) return new Map();
  // Conditions name users by key and by id, so every index the planner may choose reads only their rows.
  const ids = [...users.values()];
  const names = [...users.keys()];
  const found = level.everyDocument
    ? await rowsOf(
        em,
        MemberRow,
        sql`select u.id as user_id from unnest(${ids}::bigint[], ${names}::text[]) as u (id, ext_id) where exists (
          select from access a join document d on d.id = a.resource_id
          where a.api_key_id = ${tenant.id} and a.user_id = u.id and a.user_ext = u.ext_id and a.kind = ${level.kind}
            and a.org_id = ${level.organization} and a.is_member and d.deleted_at is null and ${isVisible})`,
      )
    : await tablesOf(em)
        .selectFrom('access')
        .select('user_id')
        .where('api_key_id', '=', tenant.id)
        .where('user_id', '=', anyOfIds(ids))
        .where('user_ext', '=', anyOf(names))
        .where('kind', '=', level.kind)
        .where('resource_id', '=', level.resource)
        .where('is_member', 'is', true)
        .execute();
  const members = new Set(found.map(({ user_id }) => user_id));
  return new Map([...users].filter(([, id]) => members.has(id)));
}
