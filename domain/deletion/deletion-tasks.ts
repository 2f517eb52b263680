import { personalDataKinds, type PersonalDataKind } from './stores/personal-data-store.ts';
import { personalDataStores } from './stores/personal-data-stores.ts';

/** A task is one kind of one person's data: arithmetic, not rows. */
export const tasksOf = (users: number): number => users * personalDataKinds.length;

/** Kinds of which nothing is left to do, given the names of the places that are done. The person's own row goes at the end. */
export function doneKinds(donePlaces: readonly string[]): PersonalDataKind[] {
  const open = new Set(
    personalDataStores.filter(({ name }) => !donePlaces.includes(name)).flatMap(({ kinds }) => kinds),
  );
  return personalDataKinds.filter((kind) => kind !== 'user' && !open.has(kind));
}
