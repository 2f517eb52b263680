import { personKinds, type PersonKind } from './places/place.ts';
import { personPlaces } from './places/places.ts';

/** A task is one kind of one person's data: arithmetic, not rows. */
export const tasksOf = (users: number): number => users * personKinds.length;

/** Kinds of which nothing is left to do, given the names of the places that are done. The person's own row goes at the end. */
export function doneKinds(donePlaces: readonly string[]): PersonKind[] {
  const open = new Set(
    personPlaces.filter(({ name }) => !donePlaces.includes(name)).flatMap(({ kinds }) => kinds),
  );
  return personKinds.filter((kind) => kind !== 'user' && !open.has(kind));
}
