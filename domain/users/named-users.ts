/** Depth to which free JSON is searched for people; requests are never deeper. */
export const deepest = 64;

const longestId = 1_000;

/** Members whose keys are user ids, or addresses. */
export const mapsOfPeople: ReadonlySet<string> = new Set(['mentions', 'notifyUsers', 'notifyUsersByUserId']);

/** Names of members that describe people and places: never a person's id, but in a map of people. */
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

/** Whether a key of an object may be the id or an address of a person. `inMap`: of an object in `mapsOfPeople`. */
export const mayBePerson = (key: string, inMap: boolean): boolean => inMap || !structure.has(key);

function isUserId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= longestId &&
    !/\p{Cc}/u.test(value)
  );
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.includes('@') && isUserId(value);

/** As an index knows an id or an address: addresses are the same in every letter case, ids are compared byte for byte. */
export const nameOf = (text: string): string => (text.includes('@') ? text.toLowerCase() : text);

/** Whom free JSON names. */
export interface NamedPeople {
  /** Every object's string member `userId`, and every key of a map called `mentions` or `notifyUsers`. */
  readonly userIds: Set<string>;
  /** Every other key: each may be the id or an address of a person, of one added later too. */
  readonly keys: Set<string>;
  /** User ids, each with an address that an object gives for it. */
  readonly addresses: (readonly [userId: string, address: string])[];
}

/** What is not a valid id names nobody. */
export function namedPeople(...parts: readonly unknown[]): NamedPeople {
  const named: NamedPeople = { userIds: new Set(), keys: new Set(), addresses: [] };
  for (const part of parts) walk(part, 0, false, named);
  return named;
}

function walk(part: unknown, depth: number, inMap: boolean, named: NamedPeople): void {
  if (typeof part !== 'object' || part === null || depth > deepest) return;
  if (Array.isArray(part)) {
    for (const item of part) walk(item, depth + 1, false, named);
    return;
  }
  const { userId, email } = part as { readonly userId?: unknown; readonly email?: unknown };
  if (isUserId(userId) && Object.hasOwn(part, 'userId')) {
    named.userIds.add(userId);
    if (isAddress(email)) named.addresses.push([userId, email]);
  }
  for (const key of Object.keys(part)) {
    const value = (part as Record<string, unknown>)[key];
    if (inMap) {
      if (isUserId(key)) named.userIds.add(key);
    } else if (!structure.has(key)) named.keys.add(key);
    if (typeof value === 'object' && value !== null) walk(value, depth + 1, mapsOfPeople.has(key), named);
  }
}

/** All of them together. */
export const mergedPeople = (people: readonly NamedPeople[]): NamedPeople => ({
  userIds: new Set(people.flatMap(({ userIds }) => [...userIds])),
  keys: new Set(people.flatMap(({ keys }) => [...keys])),
  addresses: people.flatMap(({ addresses }) => addresses),
});

/** The ids of users that free JSON names; its other keys left aside. */
export const namedUsers = (...parts: readonly unknown[]): Set<string> => namedPeople(...parts).userIds;
