import { deepest, mapsOfPeople } from '../../users/named-users.ts';

/** Whom free JSON is to name no more. */
export interface Unwanted {
  /** Customers' ids. */
  readonly userIds: ReadonlySet<string>;
  /** By which maps of people may name them instead. */
  readonly emails: ReadonlySet<string>;
}

const gone = Symbol('gone');

/**
 * The same JSON without these people: every object that says `userId` of one of them goes whole, out of its array or out
 * of its parent, and so does every key of theirs in a map of people. Undefined when nothing is left. What else stands there,
 * strings that speak of them included, stays as it is.
 */
export function withoutPeople(value: unknown, unwanted: Unwanted): unknown {
  const left = clean(value, unwanted, 0);
  return left === gone ? undefined : left;
}

function clean(value: unknown, unwanted: Unwanted, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) {
    return value.map((item) => clean(item, unwanted, depth + 1)).filter((item) => item !== gone);
  }
  if (Object.hasOwn(value, 'userId') && names(unwanted.userIds, Reflect.get(value, 'userId'))) return gone;
  // `fromEntries` makes `__proto__` a member like any other.
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [
        name,
        clean(mapsOfPeople.has(name) ? withoutKeys(member, unwanted) : member, unwanted, depth + 1),
      ])
      .filter(([, member]) => member !== gone),
  );
}

function withoutKeys(map: unknown, { userIds, emails }: Unwanted): unknown {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return map;
  return Object.fromEntries(Object.entries(map).filter(([key]) => !userIds.has(key) && !emails.has(key)));
}

const names = (userIds: ReadonlySet<string>, value: unknown): boolean =>
  typeof value === 'string' && userIds.has(value);
