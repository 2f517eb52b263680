import { z } from 'zod';
import { updateDocuments as update } from '../../domain/documents/update-documents.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { idOf, records } from '../schemas.ts';
import { documentInput, toDocumentInput } from './document.ts';

export const updateDocuments = endpoint({
  paths: bothVersions('organizations/documents/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Updates names, access types and metadata of documents.',
  description:
    'A metadata field sent as null is removed. Updates up to 1,000 documents in one transaction. Known ' +
    'fields that are not sent keep their value. An unknown document fails with `not-found`, one that would ' +
    'hold more than 64 KiB of metadata with `invalid-argument`; the others are updated. An unknown ' +
    'organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a ' +
    'user named in the metadata is being deleted. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documents: records(documentInput, 'documentId').describe('Documents to update, max 1,000.'),
    merge: z
      .boolean()
      .default(true)
      .describe('True merges metadata field by field. False replaces all metadata of the documents.'),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documents: [{ documentId: 'plan', documentName: 'The plan' }] },
  async handle({ data, tenant }, { em }) {
    const items = await update(em, tenant, { ...data, documents: data.documents.map(toDocumentInput) });
    return { message: 'Document(s) updated successfully.', items };
  },
});
