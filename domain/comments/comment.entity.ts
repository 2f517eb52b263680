import { defineEntity, p } from '@mikro-orm/core';
import { bytes, json, keys, surrogateKey } from '../columns.ts';
import type { CommentBody } from './comment.ts';

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
