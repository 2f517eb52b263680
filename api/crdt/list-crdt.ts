import { z } from 'zod';
import { listRecords, type CrdtSummaryRow } from '../../domain/crdt/list-records.ts';
import { crdtTypeName } from '../../domain/crdt/record.ts';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';
import { textPages } from '../http/response/row-pages.ts';
import { customerId, integer } from '../schemas.ts';
import { crdtType, maxCrdtBodyMebibytes } from './record.ts';

const maxPageSize = 100;

const crdtSummary = z
  .strictObject({
    id: z.string().describe('Id of the editor.'),
    type: crdtType.describe('Kind of the content.'),
    contentKey: z.string().describe('Name of the content in the Yjs document.'),
    version: z.int().describe('Number of writes so far; 1 after `crdt/add`.'),
    contentBytes: z
      .int()
      .nullable()
      .describe('Size of the content as JSON, in bytes. Null until the last write was decoded.'),
    lastUpdate: z.string().describe('When the content last changed, in ISO 8601 (UTC).'),
    lastUpdatedBy: z.string().describe('Id of the user of the last write. Empty when unknown.'),
  })
  .meta({ id: 'CollaborativeDataSummary' });

export const listCrdt = endpoint({
  paths: ['/v2/crdt/list'],
  credentials: 'apiKey',
  mutates: false,
  maxBodyMebibytes: maxCrdtBodyMebibytes,
  summary: 'Lists the editors of a document with type, size and version, without their content.',
  description:
    'Lists records in order of the editor ids. `crdt/get` returns their content. An unknown organization or document ' +
    'fails with `NOT_FOUND`.',
  data: z.strictObject({
    organizationId: customerId.describe('Id of the organization.'),
    documentId: customerId.describe('Id of the document.'),
    pageSize: integer(1, maxPageSize).default(maxPageSize).describe('Max records of a page.'),
    pageToken: paging.pageToken,
  }),
  response: listResponse(crdtSummary, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', pageSize: 20 },
  async handle({ data, tenant }, { em }) {
    const organization = await findOrganization(em, tenant, data.organizationId);
    const document = await findDocument(em, organization, data.documentId);
    return {
      message: 'CRDT data retrieved successfully.',
      list: textPages(async (after = '', limit) => {
        const { records, next, cut } = await listRecords(em, tenant, document, { after, limit });
        return { items: records.map(view), next, cut };
      }),
    };
  },
});

const view = (row: CrdtSummaryRow): z.input<typeof crdtSummary> => ({
  id: row.editor_id,
  type: crdtTypeName(row.type),
  contentKey: row.content_key,
  version: Number(row.version),
  contentBytes: row.content_bytes,
  lastUpdate: row.last_update.toISOString(),
  lastUpdatedBy: row.updated_by ?? '',
});
