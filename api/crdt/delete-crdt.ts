import { z } from 'zod';
import { deleteRecords } from '../../domain/crdt/delete-records.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { ids } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { crdtDocument, maxCrdtBodyMebibytes } from './record.ts';

export const deleteCrdt = endpoint({
  paths: ['/v2/crdt/delete'],
  credentials: 'apiKey',
  mutates: true,
  maxBodyMebibytes: maxCrdtBodyMebibytes,
  summary: 'Deletes the content of the given editors of a document, or of all.',
  description:
    'Deletes the records of `editorIds` in the call, whatever their size. Without `editorIds`, deletes up to ' +
    '1,000 records with 256 MiB in the call, and the job `result.jobId` deletes the rest. `data` lists each ' +
    'record that the call deleted, and `result.deletedCount` contains their number. An editor without ' +
    'content fails with `not-found`, without affecting the others. Pending `crdt.update_data` events are ' +
    'emitted first. An unknown organization or document fails the call with `NOT_FOUND`.',
  data: z.strictObject({
    ...crdtDocument,
    editorIds: ids()
      .optional()
      .describe('Ids of the editors, max 1,000. Absent: all editors of the document.'),
  }),
  response: batchResponse({}, ['deletedCount', 'jobId']),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', editorIds: ['notes'] },
  async handle({ data, tenant }, work) {
    const { outcomes, deletedCount, job } = await deleteRecords(work.em, tenant, data);
    return {
      message: 'CRDT data deleted successfully.',
      items: outcomes,
      extras: { deletedCount, ...startReportedJob(work, job) },
    };
  },
});
