import { defineEntity, p } from '@mikro-orm/core';
import { bytes, computed, createdAt, moment } from '../columns.ts';

export const sessionKinds = ['workspace', 'apiKey', 'operator'] as const;
/** The credentials that a session was opened with. */
export type SessionKind = (typeof sessionKinds)[number];

/** A signed-in browser. Only its cookie contains the session's id; the row stores the hash. */
export const ConsoleSessionSchema = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    sessionHash: bytes().primary(),
    publicId: computed("'ses_' || left(encode(sha256(session_hash), 'hex'), 32)"),
    kind: p.text().$type<SessionKind>(),
    /** Surrogate key of the workspace, the API key or the operator token; 0 for STEWARD_OPERATOR_TOKEN. */
    ownerId: p.bigint('string'),
    /** Hash of the token that opened the session. The session ends with the token. */
    tokenHash: bytes(),
    userAgent: p.text(),
    createdAt: createdAt(),
    /** Exact to the minute. */
    lastUsedAt: moment().defaultRaw('now()'),
    expiresAt: moment(),
  },
  indexes: [
    { name: 'console_session_token', properties: ['kind', 'ownerId', 'tokenHash'] },
    { name: 'console_session_expiry', properties: ['expiresAt'] },
  ],
});
