import { defineEntity, p } from '@mikro-orm/core';
import { byteText, json, moment, reference } from '../columns.ts';
import { JobSchema } from '../jobs/job.entity.ts';

/** Records of a document by kind. */
export type Counts = Readonly<Record<string, number>>;

/** The move of a document to a new id. It outlives its organization and document, so it has no foreign keys to them. */
export const MigrationSchema = defineEntity({
  name: 'Migration',
  tableName: 'migration',
  properties: {
    jobId: reference(JobSchema, 'job_id', 'cascade').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: p.bigint('string'),
    oldExtId: byteText(),
    newExtId: byteText(),
    verified: p.boolean().nullable(),
    counts: json<Counts>().nullable(),
    flippedAt: moment().nullable(),
    releasedAt: moment().nullable(),
  },
  indexes: [
    {
      name: 'migration_moved',
      properties: ['orgId', 'oldExtId', 'jobId'],
      columns: [{ name: 'org_id' }, { name: 'old_ext_id' }, { name: 'job_id', sort: 'desc' }],
      where: 'flipped_at is not null and released_at is null',
    },
    { name: 'migration_document', properties: ['documentId'] },
  ],
});
