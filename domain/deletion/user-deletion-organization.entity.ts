import { defineEntity, p } from '@mikro-orm/core';
import { reference } from '../columns.ts';
import { JobSchema } from '../jobs/job.entity.ts';

/** An organization that a deletion is limited to. Without rows it covers all organizations of the API key. */
export const UserDeletionOrganizationSchema = defineEntity({
  name: 'UserDeletionOrganization',
  tableName: 'user_deletion_organization',
  properties: {
    jobId: reference(JobSchema, 'job_id').primary(),
    orgId: p.bigint('string').primary(),
  },
});
