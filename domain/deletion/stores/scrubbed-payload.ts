import { containsPeople } from './contains-people.ts';
import { identifiesPerson, withoutPeopleInside, type PersonIdentifiers } from './without-people.ts';

/**
 * What is left of the payload of an event that somebody caused who goes: of what type it was, where and when. Its id is
 * that of a record which goes as well.
 */
const left: ReadonlySet<string> = new Set([
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

/** Of the metadata too; a caller may have put more in it. */
const leftOfMetadata: ReadonlySet<string> = new Set(['organizationId', 'documentId']);

/** The payload of an event without these people. */
export function scrubbedPayload(payload: unknown, identifiers: PersonIdentifiers): unknown {
  if (!isObject(payload)) return payload;
  if ([payload['actionUser'], payload['ranBy']].some((actor) => isOne(actor, identifiers))) {
    const metadata = isObject(payload['metadata']) ? only(payload['metadata'], leftOfMetadata) : undefined;
    return only({ ...payload, metadata }, left);
  }
  return withoutPeopleInside(withoutAddresses(payload, identifiers), identifiers, 'schema');
}

/** Whether the payload of an event names these people. */
export const payloadNames = (payload: unknown, identifiers: PersonIdentifiers): boolean =>
  containsPeople(payload, identifiers, 'schema');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOne = (actor: unknown, identifiers: PersonIdentifiers): boolean =>
  isObject(actor) && typeof actor['userId'] === 'string' && identifiesPerson(actor['userId'], identifiers);

const only = (value: object, members: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(value).filter(([name, part]) => members.has(name) && part !== undefined));

/**
 * Recipients stand in two maps, by id and by e-mail address. Where one goes whose address is not known (any more), nobody
 * can tell which address is that person's: all of them go. The ids of the others stay.
 */
function withoutAddresses(payload: Record<string, unknown>, { userIds, emails }: PersonIdentifiers): object {
  const { notifyUsers, notifyUsersByUserId, ...rest } = payload;
  if (!isObject(notifyUsers) || !isObject(notifyUsersByUserId)) return payload;
  const going = Object.keys(notifyUsersByUserId).filter((id) => userIds.has(id)).length;
  const known = Object.keys(notifyUsers).filter((email) => emails.has(email.toLowerCase())).length;
  return going > known ? { ...rest, notifyUsersByUserId } : payload;
}
