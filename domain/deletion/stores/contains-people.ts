import { maxSearchDepth, mapsOfPeople, mayBePerson } from '../../users/named-users.ts';
import { identifiesPerson, type KeptObject, type PersonIdentifiers } from './without-people.ts';

interface Visit {
  readonly node: unknown;
  readonly depth: number;
  readonly inMap: boolean;
}

/**
 * Whether JSON names one of these people, in an object's `userId` or by a key. Does not call `withoutPeople`, whose
 * results it verifies. `kept`: the top-level object itself is not judged.
 */
export function containsPeople(value: unknown, identifiers: PersonIdentifiers, kept?: KeptObject): boolean {
  const pending: Visit[] = [{ node: value, depth: 0, inMap: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth, inMap } = next;
    if (typeof node !== 'object' || node === null || depth > maxSearchDepth) continue;
    const list = Array.isArray(node);
    const keysCount = !list && !(kept === 'schema' && depth === 0);
    const idCounts = !list && !(kept !== undefined && depth === 0);
    for (const [key, member] of Object.entries(node) as [string, unknown][]) {
      if (keysCount && mayBePerson(key, inMap) && identifiesPerson(key, identifiers)) return true;
      if (idCounts && key === 'userId' && typeof member === 'string' && identifiesPerson(member, identifiers))
        return true;
      pending.push({ node: member, depth: depth + 1, inMap: !list && mapsOfPeople.has(key) });
    }
  }
  return false;
}
