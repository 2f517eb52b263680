import { invalidMember } from '../errors.ts';
import { readAccess } from '../permissions/read-access.ts';
import { verdictOf } from '../permissions/verdict.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { choose, type Candidate, type Choice } from './choose-recipients.ts';
import type { Member } from './document-members.ts';
import type { NamedRecipient } from './notification.ts';
import { preferencesInForce } from './preferences.ts';

/** Where a notification is, by customer's ids and surrogate keys. */
export interface NotificationLocation {
  readonly organizationId: string;
  readonly documentId: string;
  readonly organization: string;
  readonly document: string;
}

/** Someone who may get a notification, before anything is asked about it. */
export type Person = Omit<Candidate, 'hasAccess'> & {
  readonly place: Pick<NotificationLocation, 'document' | 'documentId'>;
};

/** Whether someone may reach the document of the notification. */
export type MayReach = (person: Pick<Person, 'userId' | 'place'>) => boolean;

/** Where permissions are not to be verified. */
export const allowEveryone: MayReach = () => true;

/** What is decided about each person, in their order. */
export async function decideRecipients(
  em: EntityManager,
  tenantId: string,
  organization: string,
  people: readonly Person[],
  mayReach: MayReach,
): Promise<Choice[]> {
  const places = people.map(({ user, place: { document } }) => ({ user, document }));
  const preferences = await preferencesInForce(em, tenantId, organization, places);
  return people.flatMap((person, at) => {
    const preference = preferences[at];
    return preference === undefined ? [] : [choose({ ...person, hasAccess: mayReach(person) }, preference)];
  });
}

/** Two pairs are the same exactly when this text is. */
export const documentAndUser = (documentId: string, userId: string): string =>
  JSON.stringify([documentId, userId]);

/** Who may reach what by memberships, grants and access types: one statement. Not for keys with a permission provider. */
export async function accessByRule(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
  people: readonly Pick<Person, 'userId' | 'place'>[],
): Promise<MayReach> {
  if (people.length === 0) return allowEveryone;
  const documents = [...new Set(people.map(({ place }) => place.documentId))];
  const resources = documents.map((id) => ({ type: 'document' as const, id, organizationId }));
  const userIds = [...new Set(people.map(({ userId }) => userId))];
  refuseManyPairs(userIds.length, documents.length);
  const found = await readAccess(em, tenant, { userIds, resources });
  const allowed = new Set(
    found
      .filter((row) => verdictOf(row).hasAccess)
      .map(({ ext_id, user_ext }) => documentAndUser(ext_id, user_ext)),
  );
  return ({ userId, place }) => allowed.has(documentAndUser(place.documentId, userId));
}

/** Pairs of a user and a document that one call verifies. */
const maxPairs = 10_000;

export function refuseManyPairs(users: number, documents: number): void {
  if (users * documents <= maxPairs) return;
  const text = `notifications must hold at most ${String(maxPairs)} pairs of a user and a document to verify.`;
  throw invalidMember('notifications', text);
}

export function surrogate(users: LockedUsers, userId: string): string {
  const id = users.get(userId);
  if (id === undefined) throw new Error('A user that the call names was not locked.');
  return id;
}

export const namedPeople = (
  place: Person['place'],
  notifyUsers: readonly NamedRecipient[],
  users: LockedUsers,
): Person[] =>
  notifyUsers.map(({ userId, email }) => ({
    userId,
    user: surrogate(users, userId),
    email: email ?? null,
    named: true,
    place,
  }));

/** Who acts need not be told. */
export const membersExcept = (place: Person['place'], actor: string, members: readonly Member[]): Person[] =>
  members
    .filter(({ userId }) => userId !== actor)
    .map((member) => ({ ...member, email: null, named: false, place }));
