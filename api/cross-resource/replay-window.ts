import { dayMs } from '../../platform/units.ts';

/**
 * Milliseconds by which a time in a request may be past its limit when its schema checks it: longer than the response to an
 * Idempotency-Key is replayed. The handler refuses what is past, so that a success is replayed also later.
 */
export const replayWindowMs = 2 * dayMs;
