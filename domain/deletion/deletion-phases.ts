import { nameOfNumber } from '../name-of-number.ts';
import { namesOf } from '../names-of.ts';

/** The phases of a deletion as stored: never reuse a number. Null before the first phase, and for a dry run. */
export const phaseNumbers = { fencing: 1, deleting: 2, verifying: 3 } as const;
export type DeletionPhase = keyof typeof phaseNumbers;
export const deletionPhases = namesOf(phaseNumbers);

export const phaseName = (number: number): DeletionPhase => nameOfNumber(phaseNumbers, number);
