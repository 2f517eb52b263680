import { defineEntity, p } from '@mikro-orm/core';

/** `threadId` of a mark on all threads of the document. */
export const wholeDocument = '0';

/** The time up to which a user has read a thread, or all threads of a document, in milliseconds since the epoch. */
export const ThreadViewSchema = defineEntity({
  name: 'ThreadView',
  tableName: 'thread_view',
  properties: {
    userId: p.bigint('string').primary(),
    documentId: p.bigint('string').primary(),
    threadId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    viewedAt: p.bigint('string'),
  },
  indexes: [
    { name: 'thread_view_document', properties: ['documentId'] },
    { name: 'thread_view_thread', properties: ['threadId'], where: 'thread_id > 0' },
  ],
});
