import { z } from 'zod';
import { updateDocuments as update } from '../../domain/documents/update-documents.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { customerId, records } from '../schemas.ts';
import { documentInput, toDocumentInput } from './document.ts';

export const updateDocuments = endpoint({
  paths: bothVersions('organizations/documents/update'),
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Updates names, access types and metadata of documents. A metadata member sent as null is removed.',
  data: z.strictObject({
    organizationId: customerId,
    documents: records(documentInput, 'documentId'),
    merge: z.boolean().default(true),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documents: [{ documentId: 'plan', documentName: 'The plan' }] },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId);
    const items = await update(em, tenant, organization, data.documents.map(toDocumentInput), data);
    return { message: 'Document(s) updated successfully.', items };
  },
});
