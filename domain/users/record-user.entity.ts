import { defineEntity, p } from '@mikro-orm/core';

/** Numbers in `record_user` of record kinds. Never reuse a number. */
export const recordUserKinds = { activity: 1, notification: 2, recording: 3 } as const;

/** A user named in the free JSON of a record. Rows of deleted records are harmless: surrogate keys are never reused. */
export const RecordUserSchema = defineEntity({
  name: 'RecordUser',
  tableName: 'record_user',
  properties: {
    userId: p.bigint('string').primary(),
    kind: p.enum(recordUserKinds).primary(),
    recordId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
  },
});
