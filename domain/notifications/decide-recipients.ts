import type { EntityManager } from '../../platform/database/orm.ts';
import { required } from '../../platform/process/required.ts';
import { invalidMember } from '../errors.ts';
import { readAccess } from '../permissions/read-access.ts';
import type { AccessTenant } from '../permissions/resources-with-ancestors.ts';
import { verdictOf, type LocatedRow } from '../permissions/verdict.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { choose, type Candidate, type Choice } from './choose-recipients.ts';
import type { Member } from './document-members.ts';
import type { NamedRecipient } from './notification.ts';
import { preferencesInForce } from './preferences.ts';

/** The organization and document of a notification, by customer's ids and surrogate keys. */
export interface NotificationLocation {
  readonly organizationId: string;
  readonly documentId: string;
  readonly organization: string;
  readonly document: string;
}

/** A candidate before access is decided. */
export type UndecidedCandidate = Omit<Candidate, 'hasAccess'> & {
  readonly location: Pick<NotificationLocation, 'document' | 'documentId'>;
};

/** A user and a document, by the customer's ids. */
export interface UserAndDocument {
  readonly userId: string;
  readonly location: Pick<NotificationLocation, 'documentId'>;
}

/** Reports whether a user has access to a document. */
export type MayReachDocument = (pair: UserAndDocument) => boolean;

/** Reports whether a user has access to the document of the notification. */
export type MayReach = (person: Pick<UndecidedCandidate, 'userId' | 'location'>) => boolean;

/** Used when permissions are not verified. */
export const allowEveryone: MayReachDocument = () => true;

/** Decides about each person, in order. */
export async function decideRecipients(
  em: EntityManager,
  tenantId: string,
  organization: string,
  people: readonly UndecidedCandidate[],
  mayReach: MayReach,
): Promise<Choice[]> {
  const locations = people.map(({ user, location: { document } }) => ({ user, document }));
  const preferences = await preferencesInForce(em, tenantId, organization, locations);
  return people.flatMap((person, at) => {
    const preference = preferences[at];
    return preference === undefined ? [] : [choose({ ...person, hasAccess: mayReach(person) }, preference)];
  });
}

/** Returns a key that is equal only for equal pairs. */
export const documentAndUser = (documentId: string, userId: string): string =>
  JSON.stringify([documentId, userId]);

/** Decides access by memberships, grants and access types in one statement. Not for keys with a permission provider. */
export async function accessByRule(
  em: EntityManager,
  tenant: AccessTenant,
  organizationId: string,
  people: readonly UserAndDocument[],
): Promise<MayReachDocument> {
  if (people.length === 0) return allowEveryone;
  const documents = [...new Set(people.map(({ location }) => location.documentId))];
  const resources = documents.map((id) => ({ type: 'document' as const, id, organizationId }));
  const userIds = [...new Set(people.map(({ userId }) => userId))];
  refuseManyPairs(userIds.length, documents.length);
  const found = await readAccess(em, tenant, { userIds, resources });
  const allowed = found.filter((row) => verdictOf(row).hasAccess);
  return reachAmong(userIds, documents, allowed);
}

/** Allows these rows of a query. Holds each id once and a number per pair: 10,000 pairs of ids may have 20 MB. */
export function reachAmong(
  userIds: readonly string[],
  documentIds: readonly string[],
  allowed: readonly Pick<LocatedRow, 'user_ext' | 'ordinal'>[],
): MayReachDocument {
  const ordinals = new Map(documentIds.map((id, at) => [id, at + 1]));
  const byUser = new Map(userIds.map((userId) => [userId, new Set<number>()]));
  for (const { user_ext, ordinal } of allowed) byUser.get(user_ext)?.add(ordinal);
  return ({ userId, location }) => byUser.get(userId)?.has(ordinals.get(location.documentId) ?? 0) === true;
}

/** Max pairs of a user and a document that one call verifies. */
const maxPairs = 10_000;

export function refuseManyPairs(users: number, documents: number): void {
  if (users * documents <= maxPairs) return;
  const text = `notifications must hold at most ${String(maxPairs)} pairs of a user and a document to verify.`;
  throw invalidMember('notifications', text);
}

export const surrogate = (users: LockedUsers, userId: string): string =>
  required(users.get(userId), 'key of a locked user');

export const namedCandidates = (
  location: UndecidedCandidate['location'],
  notifyUsers: readonly NamedRecipient[],
  users: LockedUsers,
): UndecidedCandidate[] =>
  notifyUsers.map(({ userId, email }) => ({
    userId,
    user: surrogate(users, userId),
    email: email ?? null,
    named: true,
    location,
  }));

/** Returns the members except the acting user, who is not notified. */
export const membersExcept = (
  location: UndecidedCandidate['location'],
  actor: string,
  members: readonly Member[],
): UndecidedCandidate[] =>
  members
    .filter(({ userId }) => userId !== actor)
    .map((member) => ({ ...member, email: null, named: false, location }));
