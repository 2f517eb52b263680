import { defineEntity, p } from '@mikro-orm/core';
import { bytes, json, keys, surrogateKey } from '../columns.ts';

/** A user as sent; unknown members are kept. */
export interface NamedUser {
  readonly userId: string;
  readonly [member: string]: unknown;
}

/** A tagged user: `userId` equals `contact.userId`. */
export interface TaggedUser {
  readonly userId: string;
  readonly text?: string | undefined;
  readonly contact?: NamedUser | undefined;
}

/** A comment as stored, without members that have columns. */
export interface CommentBody {
  readonly from: NamedUser;
  readonly commentText?: string | undefined;
  readonly commentHtml?: string | undefined;
  readonly taggedUserContacts?: readonly TaggedUser[] | undefined;
  readonly attachments?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly context?: object | undefined;
  readonly isCommentResolverUsed?: boolean | undefined;
  /** Present only when it was sent; otherwise the text decides. */
  readonly isCommentTextAvailable?: boolean | undefined;
  readonly agent?: Agent | undefined;
  readonly progress?: object | undefined;
  readonly actions?: readonly object[] | undefined;
  /** Milliseconds since the epoch; absent while text, tags and attachments are as added. */
  readonly editedAt?: number | undefined;
}

/** The agent that wrote a comment, as sent; unknown members are kept. */
export interface Agent {
  readonly agentSource: string;
  readonly agentId: string;
  readonly executionId?: string | undefined;
  readonly agentName?: string | undefined;
  readonly agentType?: 'built-in' | 'custom' | 'external' | undefined;
  readonly url?: string | undefined;
  readonly reason?:
    { readonly findingId?: string | undefined; readonly [member: string]: unknown } | undefined;
  readonly [member: string]: unknown;
}

/**
 * A comment of a thread. `extId` is the customer's number within the thread. Write it only under the lock of its thread,
 * and read it only through its thread: there is no foreign key.
 */
export const CommentSchema = defineEntity({
  name: 'Comment',
  tableName: 'comment',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    threadId: p.bigint('string'),
    extId: p.bigint('string'),
    authorId: p.bigint('string'),
    createdAt: p.bigint('string'),
    updatedAt: p.bigint('string'),
    tagged: keys().default([]),
    contentHash: bytes().nullable(),
    body: json<CommentBody>(),
  },
  indexes: [{ name: 'comment_author', properties: ['authorId', 'orgId', 'id'] }],
  uniques: [{ name: 'comment_ext', properties: ['threadId', 'extId'] }],
});
