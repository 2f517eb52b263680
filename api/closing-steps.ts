import { closeUpdated, type UpdatedRows } from '../domain/closed-rows.ts';
import type { OutsideAccess } from './http/endpoint.ts';

/**
 * Steps of a deletion that calls no other server: `prepare` commits that further writers of the rows are held off, `reach`
 * the same for rows that updates held then. The transaction that follows waits for the writers that hold the rows.
 */
export const closingSteps = {
  limitMs: 15_000,
  reach: async (updated: UpdatedRows, signal: AbortSignal, { em }: OutsideAccess): Promise<void> =>
    closeUpdated(em, updated, signal),
} as const;
