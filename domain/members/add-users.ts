import type { EntityManager } from '../../platform/database/orm.ts';
import { done, outcomes, type Outcomes } from '../batch.ts';
import { metadataTooLarge } from '../metadata.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockPeople } from '../users/lock-named.ts';
import { peopleInMetadata } from '../users/people-in-metadata.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockUsers, refuseFencedUsers } from '../users/lock-users.ts';
import { lockLevel, type LevelFlags, type LevelRequest } from './membership-level.ts';
import type { UserInput } from './user-input.ts';
import { lookupAccessByIndex, writeMemberships, writeProfiles } from './write-users.ts';

/**
 * Adds users as members at exactly one level. Updates the profiles of known users. A user whose metadata would be too large
 * fails alone.
 */
export async function addUsers(
  em: EntityManager,
  tenant: Tenant,
  request: LevelRequest & LevelFlags,
  users: readonly UserInput[],
): Promise<Outcomes> {
  const userIds = users.map(({ userId }) => userId);
  const people = peopleInMetadata(users, userIds);
  const named = { organizationId: request.organizationId, userIds };
  const level = await refusingFencedFirst(em, tenant, named, async () =>
    lockLevel(em, tenant, request, request),
  );
  const locked = await lockUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, [level.organization]);
  if (people !== undefined) await lockPeople(em, tenant, people, [level.organization]);
  await lookupAccessByIndex(em);
  const known = users.map((user) => ({ ...user, id: locked.get(user.userId) ?? missingRow() }));
  const written = await writeProfiles(em, tenant, known);
  await writeMemberships(em, tenant, level, written);
  return outcomes(userIds, new Set(written.map(({ userId }) => userId)), {
    ok: () => done('User added.'),
    otherwise: metadataTooLarge,
  });
}

function missingRow(): never {
  throw new Error('missing row for locked user');
}
