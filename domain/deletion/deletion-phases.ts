import { nameOfNumber } from '../name-of-number.ts';

/** What a deletion is busy with, as the database numbers it; a number is never given twice. Null: nothing yet, or a dry run. */
export const phaseNumbers = { fencing: 1, deleting: 2, verifying: 3 } as const;
export type DeletionPhase = keyof typeof phaseNumbers;
export const deletionPhases = Object.keys(phaseNumbers) as DeletionPhase[];

export const phaseName = (number: number): DeletionPhase => nameOfNumber(phaseNumbers, number);
