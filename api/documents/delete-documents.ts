import { z } from 'zod';
import { closeDocuments } from '../../domain/cascade/close-for-deletion.ts';
import { deleteDocuments as remove } from '../../domain/cascade/delete-documents.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions } from '../http/endpoint.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { closeRowsBeforeDeletion } from '../cross-resource/close-rows-before-deletion.ts';
import { batchDeletionReply } from '../cross-resource/batch-deletion-reply.ts';
import { idOf, ids } from '../schemas.ts';

export const deleteDocuments = outsideEndpoint({
  paths: bothVersions('organizations/documents/delete'),
  credentials: 'apiKey',
  audit: { action: 'document.delete' },
  summary: 'Deletes documents and everything in them.',
  description:
    'The documents are gone, and their ids reusable, when the call returns. All records of the documents ' +
    'become invisible in the same transaction. The call waits for running writes of the documents for up to ' +
    '10 seconds; meanwhile further writes fail with `ABORTED`. A job, `result.jobId`, then deletes the rows; ' +
    'it cannot be canceled. An unknown document fails with `not-found`, without affecting the others. ' +
    'Running migrations of the documents end as failed and emit `document.migration_failed`. The audit log ' +
    'records the call. An unknown organization fails the call with `NOT_FOUND`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentIds: ids().describe('Ids of the documents to delete, max 1,000.'),
  }),
  response: batchResponse({}, ['jobId']),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'] },
  outside: {
    ...closeRowsBeforeDeletion,
    async prepare({ data: { organizationId, documentIds }, tenant }, { em }) {
      return closeDocuments(em, await lockOrganization(em, tenant, organizationId), documentIds);
    },
  },
  async handle({ data: { organizationId, documentIds }, tenant }, work) {
    const { id } = await lockOrganization(work.em, tenant, organizationId);
    work.audit.changed({ organizationId }, null);
    const deletion = await remove(work.em, tenant, { id, organizationId }, documentIds);
    return batchDeletionReply('Document(s) deleted successfully.', deletion, work);
  },
});
