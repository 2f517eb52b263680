import { z } from 'zod';
import { deleteRecordings as remove } from '../../domain/recordings/delete-recordings.ts';
import { endpoint } from '../http/endpoint.ts';
import { batchResponse } from '../http/response/batch.ts';
import { atLeastOne } from '../rules.ts';
import { customerId, ids } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';

export const deleteRecordings = endpoint({
  paths: ['/v2/recordings/delete'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Deletes recordings by document, by id, or by both. A job deletes those beyond 1,000.',
  description:
    'The filters are combined with AND. The call deletes up to 1,000 recordings and returns an outcome ' +
    'for each. The job in `jobId` deletes the others that existed at the call. The call can be repeated.',
  data: z
    .strictObject({
      organizationId: customerId.describe('Id of the organization.'),
      documentId: customerId.optional().describe('Deletes recordings of this document.'),
      recordingIds: ids().optional().describe('Deletes recordings with one of these 1 to 1,000 ids.'),
    })
    .check(
      atLeastOne(
        ['documentId', 'recordingIds'],
        'At least one of documentId or recordingIds must be provided.',
      ),
    ),
  response: batchResponse({}, ['deletedCount', 'jobId']),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', recordingIds: ['r1'] },
  async handle({ data, tenant }, work) {
    const { outcomes, deletedCount, job } = await remove(work.em, tenant, data);
    return {
      message: 'Recording(s) deleted successfully.',
      items: outcomes,
      extras: { deletedCount, ...startReportedJob(work, job) },
    };
  },
});
