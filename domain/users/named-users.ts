import { fitsId } from '../id-size.ts';

/** Max depth of the search for people in free JSON: requests have 64 levels, and rendered comments add some. */
export const maxSearchDepth = 80;

/** Members whose keys are user ids or addresses. */
export const mapsOfPeople: ReadonlySet<string> = new Set(['mentions', 'notifyUsers', 'notifyUsersByUserId']);

/** Member names that describe users and locations: never a user id, except in `mapsOfPeople`. */
const structure: ReadonlySet<string> = new Set([
  'userId',
  'name',
  'email',
  'id',
  'locationId',
  'organizationId',
  'documentId',
  ...mapsOfPeople,
]);

/** Whether an object's key may be a user id or an address. `inMap`: the object is in `mapsOfPeople`. */
export const mayBePerson = (key: string, inMap: boolean): boolean => inMap || !structure.has(key);

/** Whether a value of free JSON can be the id of a user. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && fitsId(value) && !/\p{Cc}/u.test(value);
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.includes('@') && isUserId(value);

/** Index form of an id or an address: addresses in lower case, ids byte for byte. */
export const nameOf = (text: string): string => (text.includes('@') ? text.toLowerCase() : text);

/** People that free JSON names. */
export interface NamedPeople {
  /** Every string member `userId`, and every key of an object in `mapsOfPeople`. */
  readonly userIds: Set<string>;
  /** Every other key: each may be the id or an address of a user, including users added later. */
  readonly keys: Set<string>;
  /** User ids, each with the address in the same object. */
  readonly addresses: (readonly [userId: string, address: string])[];
}

/** Collects the people that free JSON names. Ignores invalid ids. */
export function namedPeople(...parts: readonly unknown[]): NamedPeople {
  const named: NamedPeople = { userIds: new Set(), keys: new Set(), addresses: [] };
  addNamed(named, parts);
  return named;
}

/** Adds the people that further values name. */
export function addNamed(named: NamedPeople, parts: readonly unknown[]): void {
  for (const part of parts) collect(part, 0, false, named);
}

/**
 * Adds the people that the members of an acting user name, and the user's address. The user itself has a column of its
 * own in the record.
 */
export function addActor(
  named: NamedPeople,
  actor: { readonly userId: string; readonly email?: unknown },
): void {
  collectMembers(actor, 0, false, named);
  if (typeof actor.email === 'string') named.addresses.push([actor.userId, actor.email]);
}

function collect(part: unknown, depth: number, inMap: boolean, named: NamedPeople): void {
  if (typeof part !== 'object' || part === null || depth > maxSearchDepth) return;
  if (Array.isArray(part)) {
    for (const item of part) collect(item, depth + 1, false, named);
    return;
  }
  const { userId, email } = part as { readonly userId?: unknown; readonly email?: unknown };
  if (isUserId(userId) && Object.hasOwn(part, 'userId')) {
    named.userIds.add(userId);
    if (isAddress(email)) named.addresses.push([userId, email]);
  }
  collectMembers(part, depth, inMap, named);
}

function collectMembers(part: object, depth: number, inMap: boolean, named: NamedPeople): void {
  for (const key of Object.keys(part)) {
    const value = (part as Record<string, unknown>)[key];
    if (inMap) {
      if (isUserId(key)) named.userIds.add(key);
    } else if (!structure.has(key)) named.keys.add(key);
    if (typeof value === 'object' && value !== null) collect(value, depth + 1, mapsOfPeople.has(key), named);
  }
}

/** Returns the union of all. */
export function mergedPeople(people: Iterable<NamedPeople>): NamedPeople {
  const merged: NamedPeople = { userIds: new Set(), keys: new Set(), addresses: [] };
  for (const { userIds, keys, addresses } of people) {
    for (const userId of userIds) merged.userIds.add(userId);
    for (const key of keys) merged.keys.add(key);
    for (const address of addresses) merged.addresses.push(address);
  }
  return merged;
}

/** User ids that free JSON names, without other keys. */
export const namedUsers = (...parts: readonly unknown[]): Set<string> => namedPeople(...parts).userIds;
