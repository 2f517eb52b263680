import { z } from 'zod';
import { addDocuments as add } from '../../domain/documents/add-documents.ts';
import { batchAnswer } from '../http/answer.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { customerId, records } from '../schemas.ts';
import { documentInput, toDocumentInput } from './document.ts';

export const addDocuments = endpoint({
  paths: bothVersions('organizations/documents/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds documents to an organization, in a folder or at the top.',
  data: z.strictObject({
    organizationId: customerId,
    documents: records(documentInput, 'documentId'),
    folderId: customerId.optional(),
    createOrganization: z.boolean().default(false),
    createFolder: z.boolean().default(false),
  }),
  answer: batchAnswer(),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documents: [{ documentId: 'plan', documentName: 'Plan' }] },
  async handle({ data: { documents, ...place }, tenant }, { em }) {
    const items = await add(em, tenant, place, documents.map(toDocumentInput));
    return { message: 'Document(s) added successfully.', items };
  },
});
