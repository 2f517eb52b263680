import { z } from 'zod';
import { addDocuments as add } from '../../domain/documents/add-documents.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions } from '../http/endpoint.ts';
import { groupedEndpoint } from '../http/grouped-endpoint.ts';
import { createFlag, customerId, idOf, records } from '../schemas.ts';
import { documentInput, toDocumentInput } from './document.ts';

export const addDocuments = groupedEndpoint({
  paths: bothVersions('organizations/documents/add'),
  summary: 'Adds documents to an organization, in a folder or at the top level.',
  description:
    'Adds up to 1,000 documents in one transaction. A document that exists, or whose id a running ' +
    'migration reserves, fails with `already-exists`; the others are added. Fields beyond the schema are ' +
    'free metadata, max 16 KiB per document, which responses return next to the known fields. If an id ' +
    'occurs twice, the last one counts. An unknown organization or folder fails the call with ' +
    '`NOT_FOUND`, unless its create flag is true. Fails with `FAILED_PRECONDITION` while the data of a ' +
    'user named in the metadata is being deleted. Emits no event.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documents: records(documentInput, 'documentId').describe('Documents to add, max 1,000.'),
    folderId: customerId
      .optional()
      .describe('Id of the folder for all documents, max 1,000 bytes. Absent or `root`: the top level.'),
    createOrganization: createFlag('the organization'),
    createFolder: createFlag('the folder'),
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
