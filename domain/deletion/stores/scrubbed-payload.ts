import { isJsonObject } from '../../../platform/json/json-members.ts';
import { threadsName, threadsWithout } from '../../users/users-in-threads.ts';
import { containsPeople } from './contains-people.ts';
import { withoutTexts } from './notification-texts.ts';
import { identifiesPerson, withoutPeopleInside, type PersonIdentifiers } from './without-people.ts';

/**
 * The members kept in the payload of an event that a deleted person caused: its type, location and time. The id of its
 * record is omitted, because that record is deleted too.
 */
const keptMembers: ReadonlySet<string> = new Set([
  'featureType',
  'actionType',
  'notificationSource',
  'status',
  'timestamp',
  'startedAt',
  'completedAt',
  'organizationId',
  'documentId',
  'metadata',
]);

/** The members kept of the metadata: callers may add any others. */
const keptMetadata: ReadonlySet<string> = new Set(['organizationId', 'documentId']);

/** Returns the payload of an event without these people. */
export function scrubbedPayload(payload: unknown, identifiers: PersonIdentifiers): unknown {
  if (!isJsonObject(payload)) return payload;
  if ([payload['actionUser'], payload['ranBy']].some((actor) => isOneOfThem(actor, identifiers))) {
    const metadata = isJsonObject(payload['metadata']) ? only(payload['metadata'], keptMetadata) : undefined;
    return only({ ...payload, metadata }, keptMembers);
  }
  const isPerson = (userId: string): boolean => identifiesPerson(userId, identifiers);
  const cleaned = isOfThread(payload) ? threadsWithout(payload, isPerson) : withoutTexts(payload);
  return withoutPeopleInside(withoutAddresses(cleaned, identifiers), identifiers, 'schema');
}

/** Whether a payload contains a rendered thread, as emitted or in an activity log of a comment. */
const isOfThread = (payload: Readonly<Record<string, unknown>>): boolean =>
  'commentAnnotation' in payload || payload['featureType'] === 'comment';

/** Whether the payload of an event names these people. */
export const payloadNames = (payload: unknown, identifiers: PersonIdentifiers): boolean =>
  containsPeople(payload, identifiers, 'schema') ||
  (isJsonObject(payload) &&
    isOfThread(payload) &&
    threadsName(payload, (userId) => identifiesPerson(userId, identifiers)));

const isOneOfThem = (actor: unknown, identifiers: PersonIdentifiers): boolean =>
  isJsonObject(actor) &&
  typeof actor['userId'] === 'string' &&
  identifiesPerson(actor['userId'], identifiers);

const only = (value: object, members: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(value).filter(([name, part]) => members.has(name) && part !== undefined));

/**
 * Payloads list recipients in two maps, by id and by address. When the address of a removed recipient is unknown, all
 * addresses are removed. The ids of the others are kept.
 */
function withoutAddresses(payload: Record<string, unknown>, { userIds, emails }: PersonIdentifiers): object {
  const { notifyUsers, notifyUsersByUserId, ...rest } = payload;
  if (!isJsonObject(notifyUsers) || !isJsonObject(notifyUsersByUserId)) return payload;
  const going = Object.keys(notifyUsersByUserId).filter((id) => userIds.has(id)).length;
  const known = Object.keys(notifyUsers).filter((email) => emails.has(email.toLowerCase())).length;
  return going > known ? { ...rest, notifyUsersByUserId } : payload;
}
