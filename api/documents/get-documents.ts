import { z } from 'zod';
import { filterOperators, listOperators } from '../../domain/documents/document-filters.ts';
import { readDocuments, readDocumentsById } from '../../domain/documents/read-documents.ts';
import { findFolder } from '../../domain/folders/resolve-folder.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { listResponse } from '../http/response/list.ts';
import { byIds } from '../http/response/by-ids.ts';
import { textPages } from '../http/response/row-pages.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { allOf, anyOf, exclude, has, not, rule } from '../rules.ts';
import { paging } from '../http/response/list.ts';
import { customerId, idOf, ids, items } from '../schemas.ts';
import { documentResponse, documentView } from './document.ts';

const scalar = z.union([z.string().max(10_000), z.number(), z.boolean()]);

/** Max items of a filter's list. */
const maxValues = 30;

/** A value or a list. A longer list is cut to one item more than the max, so that the others are not validated. */
const filterValue = z.preprocess(
  (sent) => (Array.isArray(sent) ? (sent.slice(0, maxValues + 1) as unknown[]) : sent),
  z.union([scalar, z.array(scalar)]),
);

const filter = z
  .strictObject({
    key: z
      .string()
      .min(1)
      .max(1_000)
      .transform((key) => key.replace(/^metadata\./, ''))
      .describe(
        'Metadata field that the condition reads, max 1,000 characters. A leading `metadata.` is ignored.',
      ),
    operator: z
      .enum(filterOperators)
      .describe(
        'How the field is compared with `value`. Types are never converted: a string never equals a number.',
      ),
    value: filterValue.describe(
      'Value to compare with. For `in`, `not-in` and `array-contains-any`, a list of 1 to 30 values. A string ' +
        'has up to 10,000 characters.',
    ),
  })
  .check(
    rule(
      'value must be a list of 1 to 30 values for the operators in, not-in and array-contains-any, and no list for the others.',
      anyOf(
        allOf(
          has('operator', { enum: [...listOperators] }),
          has('value', { type: 'array', minItems: 1, maxItems: maxValues }),
        ),
        allOf(has('operator', not({ enum: [...listOperators] })), has('value', not({ type: 'array' }))),
      ),
      ['operator', 'value'],
      ({ operator, value }, context) => {
        const fits = listOperators.has(operator)
          ? Array.isArray(value) && value.length >= 1 && value.length <= maxValues
          : !Array.isArray(value);
        if (fits) return;
        const expected = listOperators.has(operator)
          ? 'a list of 1 to 30 strings, numbers or booleans'
          : 'a string, number or boolean';
        context.addIssue({
          code: 'custom',
          path: ['value'],
          message: `<m> must be ${expected} for ${operator}.`,
        });
      },
    ),
  );

const maxFilters = 10;

export const documentFilters = items(filter, maxFilters);

export const getDocuments = endpoint({
  paths: bothVersions('organizations/documents/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns documents of an organization: by id in the order requested, or all of them in id order.',
  description:
    'All conditions apply together. Documents that do not exist or do not match are left out. A request with ' +
    '`documentIds`, and on `/v1` a request without `pageSize`, returns all documents in one streamed ' +
    'response; else `/v2` returns pages of 1,000. With `filters`, a page may be short or empty although more ' +
    'pages follow: read on until `nextPageToken` is absent. A document without the filtered field never ' +
    'matches, not even `!=`. An unknown organization or folder fails with `NOT_FOUND`.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      documentIds: ids()
        .optional()
        .describe('Ids of the documents to return, max 1,000. Absent: all documents of the organization.'),
      folderId: customerId
        .optional()
        .describe('Only documents directly in this folder; `root` for documents in no folder.'),
      filters: documentFilters
        .optional()
        .describe('Conditions on metadata fields, max 10. A document must meet all of them.'),
      orderByCommentViews: z.boolean().optional().describe('Accepted for compatibility; has no effect.'),
      ...paging,
    })
    .check(exclude('documentIds', 'pageToken')),
  response: listResponse(documentResponse, {
    unpagedPaths: ['/v1/organizations/documents/get'],
    repeatsPageToken: true,
  }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'] },
  async handle({ data, tenant }, { em }) {
    const message = 'Document(s) retrieved successfully.';
    const organization = await findOrganization(em, tenant, data.organizationId);
    const folder =
      data.folderId === undefined ? undefined : await findFolder(em, tenant, organization, data.folderId);
    const query = { folder: folder === null ? ('root' as const) : folder?.id, filters: data.filters ?? [] };
    const view = documentView(tenant);
    if (data.documentIds !== undefined) {
      const list = byIds(data.documentIds, async (requested, limit) => {
        const page = await readDocumentsById(em, organization, requested, query, limit);
        return { items: page.documents.map(view), next: page.next, cut: page.cut };
      });
      return { message, list, streamed: true };
    }
    const list = textPages(async (after, limit) => {
      const { documents, next, cut } = await readDocuments(em, organization, query, { after, limit });
      return { items: documents.map(view), next, cut };
    });
    return { message, list };
  },
});
