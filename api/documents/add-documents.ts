import { z } from 'zod';
import { addDocuments as add } from '../../domain/documents/add-documents.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, groupedEndpoint } from '../http/endpoint.ts';
import { customerId, records } from '../schemas.ts';
import { documentInput, toDocumentInput } from './document.ts';

export const addDocuments = groupedEndpoint({
  paths: bothVersions('organizations/documents/add'),
  summary: 'Adds documents to an organization, in a folder or at the top level.',
  data: z.strictObject({
    organizationId: customerId,
    documents: records(documentInput, 'documentId'),
    folderId: customerId.optional(),
    createOrganization: z.boolean().default(false),
    createFolder: z.boolean().default(false),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documents: [{ documentId: 'plan', documentName: 'Plan' }] },
  async handleTogether(calls, { em }) {
    const [{ tenant }] = calls;
    const writes = calls.map(({ data: { documents, ...location } }) => ({
      location,
      documents: documents.map(toDocumentInput),
    }));
    const added = await add(em, tenant, writes);
    return added.map((items) => ({ message: 'Document(s) added successfully.', items }));
  },
});
