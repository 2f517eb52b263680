/**
 * The first number of every advisory lock that takes two; the second is a hash of what is locked. Locks with one number
 * (idempotency keys, migrations of the schema) never meet these. A number is never given twice.
 */
export const advisoryLocks = { documentFlip: 1, folderTree: 2, freeNames: 3 } as const;
