import { z } from 'zod';
import { deleteDocuments as remove } from '../../domain/cascade/delete-documents.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { deletionReply } from '../deletion-reply.ts';
import { idOf, ids } from '../schemas.ts';

export const deleteDocuments = endpoint({
  paths: bothVersions('organizations/documents/delete'),
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'document.delete' },
  summary: 'Deletes documents and everything in them.',
  description:
    'The documents are gone, and their ids reusable, when the call returns. All records of the documents ' +
    'become invisible in the same transaction. A job, `result.jobId`, then deletes the rows; it cannot be ' +
    'canceled. An unknown document fails with `not-found`, without affecting the others. Running migrations ' +
    'of the documents end as failed and emit `document.migration_failed`. The audit log records the call. An ' +
    'unknown organization fails the call with `NOT_FOUND`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentIds: ids().describe('Ids of the documents to delete, max 1,000.'),
  }),
  response: batchResponse({}, ['jobId']),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'] },
  async handle({ data: { organizationId, documentIds }, tenant }, work) {
    const { id } = await lockOrganization(work.em, tenant, organizationId);
    work.audit.changed({ organizationId }, null);
    const deletion = await remove(work.em, tenant, { id, organizationId }, documentIds);
    return deletionReply('Document(s) deleted successfully.', deletion, work);
  },
});
