import { personalDataKinds, type PersonalDataKind } from './stores/personal-data-store.ts';
import { personalDataStores } from './stores/personal-data-stores.ts';

/** A task is one kind of one person's data; tasks are computed, not stored. */
export const tasksOf = (users: number): number => users * personalDataKinds.length;

/** Returns the kinds whose stores are all done. The kind `user` is never among them: user rows are deleted last. */
export function doneKinds(doneStores: readonly string[]): PersonalDataKind[] {
  const open = new Set(
    personalDataStores.filter(({ name }) => !doneStores.includes(name)).flatMap(({ kinds }) => kinds),
  );
  return personalDataKinds.filter((kind) => kind !== 'user' && !open.has(kind));
}
