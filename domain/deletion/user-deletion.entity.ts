import { defineEntity, p } from '@mikro-orm/core';
import { byteText, moment, reference } from '../columns.ts';
import { JobSchema } from '../jobs/job.entity.ts';

/**
 * A user whose data a job deletes, fenced from `fencedAt` to `endedAt`. `known`: false for one created only to be
 * fenced.
 */
export const UserDeletionSchema = defineEntity({
  name: 'UserDeletion',
  tableName: 'user_deletion',
  properties: {
    jobId: reference(JobSchema, 'job_id').primary(),
    userId: p.bigint('string').primary(),
    userExtId: byteText().nullable(),
    apiKeyId: p.bigint('string'),
    fencedAt: moment().nullable(),
    endedAt: moment().nullable(),
    known: p.boolean().default(true),
  },
  indexes: [
    {
      name: 'user_fence_id',
      properties: ['apiKeyId', 'userExtId'],
      where: 'fenced_at is not null and ended_at is null',
    },
  ],
});
