/**
 * The first key of every two-key advisory lock; the second key is a hash of the locked resource. One-key locks
 * (idempotency keys, schema migrations) cannot collide with them. Never reuse a number.
 */
export const advisoryLocks = {
  documentFlip: 1,
  folderTree: 2,
  freeNames: 3,
  operatorTokens: 4,
  limitedCalls: 5,
  consoleSessions: 6,
} as const;
