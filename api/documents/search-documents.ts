import { z } from 'zod';
import { searchDocuments as search } from '../../domain/documents/search-documents.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse } from '../http/response/list.ts';
import { idOf } from '../schemas.ts';
import { searchPages, searchRequest, shortSearchPages } from '../cross-resource/search-pages.ts';
import { documentResponse, documentView } from './document.ts';

const foundDocument = documentResponse
  .extend({ organizationId: z.string().describe('Id of the organization of the document.') })
  .meta({ id: 'FoundDocument' });

export const searchDocuments = endpoint({
  paths: ['/v2/organizations/documents/search'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns documents whose id or name starts with a prefix.',
  description:
    `Those found by id come first, in id order, then those found by name, in name order. ${shortSearchPages} ` +
    'An unknown organization fails with `NOT_FOUND`.',
  data: z.strictObject({
    ...searchRequest('the id or the name'),
    organizationId: idOf('the organization')
      .optional()
      .describe(
        'Only documents of this organization, 1 to 1,000 bytes. Absent: those of every organization.',
      ),
  }),
  response: listResponse(foundDocument, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { prefix: 'pl', organizationId: 'acme', pageSize: 20 },
  async handle({ data: { prefix, organizationId }, tenant }, { em }) {
    const organization =
      organizationId === undefined ? undefined : await findOrganization(em, tenant, organizationId);
    const view = documentView(tenant);
    const list = searchPages(
      async (range) => search(em, tenant, { prefix, organization }, range),
      (row) => ({ ...view(row), organizationId: row.organization_ext_id ?? '' }),
    );
    return { message: 'Document(s) retrieved successfully.', list };
  },
});
