/** Max milliseconds of one call of an activity that works in turns, after which it yields to other jobs. */
export const turnMs = 5_000;
