import type { Actor } from '../domain/audit/record-entries.ts';

/** The actor of commands that work on the database, in the audit log. Whoever runs one has the owner's credentials. */
export const commandActor: Actor = { kind: 'command', id: null, address: null, requestId: null };
