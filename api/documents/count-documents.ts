import { z } from 'zod';
import { countDocuments as count } from '../../domain/documents/count-documents.ts';
import { findFolder } from '../../domain/folders/resolve-folder.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { flagExcludes } from '../rules.ts';
import { customerId, idOf } from '../schemas.ts';
import { documentFilters } from './get-documents.ts';

export const countDocuments = endpoint({
  paths: ['/v2/organizations/documents/count/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the exact number of documents in an organization or a folder.',
  description:
    'Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`. Documents in subfolders are not ' +
    'counted with `folderId`. An unknown organization or folder fails with `NOT_FOUND`.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      excludeFolderDocs: z
        .boolean()
        .default(false)
        .describe('True counts only documents in no folder. Excludes `folderId` and `filters`.'),
      folderId: customerId
        .optional()
        .describe('Counts only documents directly in this folder; `root` for documents in no folder.'),
      filters: documentFilters
        .optional()
        .describe('Conditions on metadata fields, max 10. Only documents that meet all of them are counted.'),
    })
    .check(flagExcludes('excludeFolderDocs', 'filters'))
    .check(flagExcludes('excludeFolderDocs', 'folderId')),
  response: dataResponse(
    z.strictObject({
      count: z.int().min(0).describe('Number of documents.'),
      filtersApplied: z
        .literal(true)
        .optional()
        .describe('True when the request has filters; otherwise absent.'),
    }),
  ),
  errors: ['NOT_FOUND', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', folderId: 'plans' },
  async handle({ data, tenant }, { em }) {
    const organization = await findOrganization(em, tenant, data.organizationId);
    const found =
      data.folderId === undefined ? undefined : await findFolder(em, tenant, organization, data.folderId);
    // `root` has no row: it stands for documents outside folders.
    const folder = data.excludeFolderDocs || found === null ? 'root' : found?.id;
    const filters = data.filters ?? [];
    const total = await count(em, organization, { folder, filters });
    return succeeded('Document count retrieved successfully.', {
      count: total,
      ...(filters.length > 0 && { filtersApplied: true as const }),
    });
  },
});
