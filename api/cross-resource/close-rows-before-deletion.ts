import { closeUpdated, type UpdatedRows } from '../../domain/closed-rows.ts';
import type { OutsideAccess } from '../http/endpoint.ts';

/**
 * Steps of a deletion that calls no other server: `prepare` closes the rows to further writers and commits. `reach`
 * does the same for rows that updates held at that time. The transaction that follows waits for the writers that hold
 * the rows.
 */
export const closeRowsBeforeDeletion = {
  limitMs: 15_000,
  reach: async (updated: UpdatedRows, signal: AbortSignal, { em }: OutsideAccess): Promise<void> =>
    closeUpdated(em, updated, signal),
} as const;
