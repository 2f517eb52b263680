import { z } from 'zod';
import { deleteDocuments as remove } from '../../domain/cascade/delete-documents.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { deletionReply } from '../deletion-reply.ts';
import { customerId, ids } from '../schemas.ts';

export const deleteDocuments = endpoint({
  paths: bothVersions('organizations/documents/delete'),
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'document.delete' },
  summary:
    'Deletes documents and everything in them. The documents are gone, and their ids reusable, when the call returns.',
  data: z.strictObject({ organizationId: customerId, documentIds: ids() }),
  response: batchResponse(),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'] },
  async handle({ data: { organizationId, documentIds }, tenant }, work) {
    const { id } = await lockOrganization(work.em, tenant, organizationId);
    work.audit.changed({ organizationId }, null);
    const deletion = await remove(work.em, tenant, { id, organizationId }, documentIds);
    return deletionReply('Document(s) deleted successfully.', deletion, work);
  },
});
