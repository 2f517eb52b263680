import { maxSearchDepth, mapsOfPeople, mayBePerson, nameOf } from '../../users/named-users.ts';

/** The names of people to remove from free JSON. */
export interface PersonIdentifiers {
  /** Customer's ids. */
  readonly userIds: ReadonlySet<string>;
  /** Current and former addresses, in lowercase: keys may name people by address. */
  readonly emails: ReadonlySet<string>;
}

const gone = Symbol('gone');

/**
 * Returns JSON without these people, or undefined when nothing is left. Removes every object with their `userId` and
 * every member named by an id or address of theirs. Reserved member names, such as `userId`, and all strings are kept.
 */
export function withoutPeople(value: unknown, identifiers: PersonIdentifiers): unknown {
  const left = clean(value, identifiers, { depth: 0, inMap: false });
  return left === gone ? undefined : left;
}

/** An object that is kept itself. The keys of a `schema` name no people; the keys of a `free` object may. */
export type KeptObject = 'schema' | 'free';

/** Like `withoutPeople`, for the members of a kept object. */
export function withoutPeopleInside<Value extends object>(
  value: Value,
  identifiers: PersonIdentifiers,
  keys: KeptObject,
): Value {
  return members(value, identifiers, { depth: 0, inMap: false, schema: keys === 'schema' }) as Value;
}

interface Position {
  readonly depth: number;
  /** Whether the keys of this object are people. */
  readonly inMap: boolean;
  /** Whether the keys of this object name no people. */
  readonly schema?: boolean;
}

function clean(value: unknown, identifiers: PersonIdentifiers, position: Position): unknown {
  const { depth } = position;
  if (typeof value !== 'object' || value === null || depth > maxSearchDepth) return value;
  if (Array.isArray(value)) {
    return value
      .map((item) => clean(item, identifiers, { depth: depth + 1, inMap: false }))
      .filter((item) => item !== gone);
  }
  return isPerson(value, identifiers) ? gone : members(value, identifiers, position);
}

function members(
  value: object,
  identifiers: PersonIdentifiers,
  { depth, inMap, schema = false }: Position,
): object {
  // `fromEntries` defines `__proto__` as an ordinary member.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => schema || !(mayBePerson(key, inMap) && identifiesPerson(key, identifiers)))
      .map(([key, member]): [string, unknown] => [
        key,
        clean(member, identifiers, { depth: depth + 1, inMap: mapsOfPeople.has(key) }),
      ])
      .filter(([, member]) => member !== gone),
  );
}

/** Whether a text is an id of one of these people, or an address of theirs in any letter case. */
export const identifiesPerson = (text: string, { userIds, emails }: PersonIdentifiers): boolean =>
  userIds.has(text) || (text.includes('@') && emails.has(nameOf(text)));

function isPerson(value: object, identifiers: PersonIdentifiers): boolean {
  const userId: unknown = Object.hasOwn(value, 'userId') ? Reflect.get(value, 'userId') : undefined;
  return typeof userId === 'string' && identifiesPerson(userId, identifiers);
}
