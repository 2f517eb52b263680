/**
 * SQL that begins a transaction, whatever isolation level the role, database or server defaults to. Statements after a
 * lock must see what was committed before the lock was granted, for example the write fence of a deletion. `local`:
 * commands for its start, each after a semicolon.
 */
export const beginReadCommitted = (local: string): string => `begin isolation level read committed${local}`;
