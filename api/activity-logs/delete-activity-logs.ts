import { z } from 'zod';
import { deleteActivityLogs as remove } from '../../domain/activity-logs/delete-activity-logs.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { atLeastOne } from '../rules.ts';
import { customerId, idOf, ids } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';

export const deleteActivityLogs = endpoint({
  paths: ['/v2/activities/delete'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Deletes activity logs that match every given condition.',
  description:
    'Deletes up to 1,000 matching records in the call and lists each in `data`; `result.deletedCount` ' +
    'contains their number. `result.jobId` is the job that deletes the rest. An id that does not exist or ' +
    'does not match fails with `not-found`, without affecting the others; while activity logs are immutable, ' +
    'each record fails with `failed-precondition`. An unknown organization or document fails the call with ' +
    '`NOT_FOUND`. Emits no event.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      documentId: customerId.optional().describe('Only records of this document.'),
      targetEntityId: customerId.optional().describe('Only records of this target, max 1,000 bytes.'),
      activityIds: ids().optional().describe('Only these records, max 1,000.'),
    })
    .check(
      atLeastOne(
        ['documentId', 'targetEntityId', 'activityIds'],
        'At least one of documentId, targetEntityId or activityIds must be provided.',
      ),
    ),
  response: batchResponse({}, ['deletedCount', 'jobId']),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan' },
  async handle({ data, tenant }, work) {
    const { outcomes, deletedCount, job } = await remove(work.em, tenant, data);
    return {
      message: 'Activity(s) deleted successfully.',
      items: outcomes,
      extras: { deletedCount, ...startReportedJob(work, job) },
    };
  },
});
