/** Depth to which free JSON is searched for people; requests are never deeper. */
export const deepest = 64;

const longestId = 1_000;

/** Members whose keys are user ids. */
export const mapsOfPeople: ReadonlySet<string> = new Set(['mentions', 'notifyUsers', 'notifyUsersByUserId']);

function isUserId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= longestId &&
    !/\p{Cc}/u.test(value)
  );
}

/**
 * The ids of users that free JSON names: every object's string member `userId`, and every key of a map called `mentions`
 * or `notifyUsers`. What is not a valid id names nobody.
 */
export function namedUsers(...parts: readonly unknown[]): Set<string> {
  const found = new Set<string>();
  const walk = (part: unknown, depth: number): void => {
    if (typeof part !== 'object' || part === null || depth > deepest) return;
    if (Array.isArray(part)) {
      for (const item of part) walk(item, depth + 1);
      return;
    }
    for (const [name, value] of Object.entries(part)) {
      if (name === 'userId' && isUserId(value)) found.add(value);
      else if (typeof value === 'object' && value !== null) {
        if (mapsOfPeople.has(name) && !Array.isArray(value))
          for (const key of Object.keys(value)) if (isUserId(key)) found.add(key);
        walk(value, depth + 1);
      }
    }
  };
  for (const part of parts) walk(part, 0);
  return found;
}
