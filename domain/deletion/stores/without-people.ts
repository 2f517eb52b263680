import { deepest, mapsOfPeople, mayBePerson, nameOf } from '../../users/named-users.ts';

/** Whom free JSON is to name no more. */
export interface PersonIdentifiers {
  /** Customers' ids. */
  readonly userIds: ReadonlySet<string>;
  /** Addresses in lower case: keys may name people by one that they have, or had. */
  readonly emails: ReadonlySet<string>;
}

const gone = Symbol('gone');

/**
 * The same JSON without these people: every object that says `userId` of one of them goes whole, out of its array or out
 * of its parent, and so does every key that is an id or an address of theirs, but for the names of members that describe
 * people, such as `userId` and `mentions`. Undefined when nothing is left. What else stands there, strings that speak of
 * them included, stays as it is.
 */
export function withoutPeople(value: unknown, identifiers: PersonIdentifiers): unknown {
  const left = clean(value, identifiers, { depth: 0, inMap: false });
  return left === gone ? undefined : left;
}

/** An object that stays, whomever it is itself. The keys of a `schema` are no one's, those of what is `free` may be. */
export type KeptObject = 'schema' | 'free';

/** The same of what is inside such an object. */
export function withoutPeopleInside<Value extends object>(
  value: Value,
  identifiers: PersonIdentifiers,
  keys: KeptObject,
): Value {
  return members(value, identifiers, { depth: 0, inMap: false, schema: keys === 'schema' }) as Value;
}

interface Position {
  readonly depth: number;
  /** The keys of this object are people. */
  readonly inMap: boolean;
  /** None of them is. */
  readonly schema?: boolean;
}

function clean(value: unknown, identifiers: PersonIdentifiers, position: Position): unknown {
  const { depth } = position;
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
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
  // `fromEntries` makes `__proto__` a member like any other.
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

/** Whether a text is the id, or an address in any letter case, of one of them. */
export const identifiesPerson = (text: string, { userIds, emails }: PersonIdentifiers): boolean =>
  userIds.has(text) || (text.includes('@') && emails.has(nameOf(text)));

function isPerson(value: object, identifiers: PersonIdentifiers): boolean {
  const userId: unknown = Object.hasOwn(value, 'userId') ? Reflect.get(value, 'userId') : undefined;
  return typeof userId === 'string' && identifiesPerson(userId, identifiers);
}
