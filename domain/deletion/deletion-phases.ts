import { nameOfNumber } from '../name-of-number.ts';

/** The phases of a deletion as stored: never reuse a number. Null before the first phase, and for a dry run. */
export const phaseNumbers = { fencing: 1, deleting: 2, verifying: 3 } as const;
export type DeletionPhase = keyof typeof phaseNumbers;
export const deletionPhases = Object.keys(phaseNumbers) as DeletionPhase[];

export const phaseName = (number: number): DeletionPhase => nameOfNumber(phaseNumbers, number);
