/** Exit codes of every program: also `done` after SIGINT or SIGTERM, and `misused` for an invalid configuration. */
export const exitCodes = { done: 0, failed: 1, misused: 2 } as const;
