import { defineEntity, p } from '@mikro-orm/core';

/** Numbers are stored, so a number is never reused. */
export const audienceKinds = { user: 1, organization: 2 } as const;

/** A user or an organization that may see a thread that is not public. `refId` is its surrogate key. */
export const ThreadAudienceSchema = defineEntity({
  name: 'ThreadAudience',
  tableName: 'thread_audience',
  properties: {
    threadId: p.bigint('string').primary(),
    kind: p.enum(audienceKinds).primary().autoincrement(false),
    refId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
  },
  indexes: [{ name: 'thread_audience_ref', properties: ['refId', 'kind', 'threadId'] }],
});
