import { deepest, mapsOfPeople, mayBePerson } from '../../users/named-users.ts';
import { identifiesPerson, type KeptObject, type PersonIdentifiers } from './without-people.ts';

interface Open {
  readonly part: unknown;
  readonly depth: number;
  readonly inMap: boolean;
}

/**
 * Whether JSON names one of these people, in an object's `userId` or by a key. Goes another way than what removes them, over a
 * list of what is still to be looked at: it is the evidence that nothing is left. `kept`: the object itself stays.
 */
export function containsPeople(value: unknown, identifiers: PersonIdentifiers, kept?: KeptObject): boolean {
  const open: Open[] = [{ part: value, depth: 0, inMap: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, depth, inMap } = next;
    if (typeof part !== 'object' || part === null || depth > deepest) continue;
    const list = Array.isArray(part);
    const keysCount = !list && !(kept === 'schema' && depth === 0);
    const idCounts = !list && !(kept !== undefined && depth === 0);
    for (const [key, member] of Object.entries(part) as [string, unknown][]) {
      if (keysCount && mayBePerson(key, inMap) && identifiesPerson(key, identifiers)) return true;
      if (idCounts && key === 'userId' && typeof member === 'string' && identifiesPerson(member, identifiers))
        return true;
      open.push({ part: member, depth: depth + 1, inMap: !list && mapsOfPeople.has(key) });
    }
  }
  return false;
}
