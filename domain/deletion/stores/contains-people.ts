import { maxSearchDepth, mapsOfPeople, mayBePerson } from '../../users/named-users.ts';
import { identifiesPerson, type KeptObject, type PersonIdentifiers } from './without-people.ts';

interface Visit {
  readonly part: unknown;
  readonly depth: number;
  readonly inMap: boolean;
}

/**
 * Whether JSON names one of these people, in an object's `userId` or by a key. Independent of `withoutPeople`, because it
 * proves that nothing is left. `kept`: the top-level object itself is not judged.
 */
export function containsPeople(value: unknown, identifiers: PersonIdentifiers, kept?: KeptObject): boolean {
  const pending: Visit[] = [{ part: value, depth: 0, inMap: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, depth, inMap } = next;
    if (typeof part !== 'object' || part === null || depth > maxSearchDepth) continue;
    const list = Array.isArray(part);
    const keysCount = !list && !(kept === 'schema' && depth === 0);
    const idCounts = !list && !(kept !== undefined && depth === 0);
    for (const [key, member] of Object.entries(part) as [string, unknown][]) {
      if (keysCount && mayBePerson(key, inMap) && identifiesPerson(key, identifiers)) return true;
      if (idCounts && key === 'userId' && typeof member === 'string' && identifiesPerson(member, identifiers))
        return true;
      pending.push({ part: member, depth: depth + 1, inMap: !list && mapsOfPeople.has(key) });
    }
  }
  return false;
}
