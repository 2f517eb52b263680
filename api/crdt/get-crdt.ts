import { z } from 'zod';
import { mebibyte } from '../../platform/units.ts';
import { findRecord, readRecords } from '../../domain/crdt/read-records.ts';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { listResponse, pagingUntil } from '../http/response/list.ts';
import { textPages } from '../http/response/row-pages.ts';
import { endpoint } from '../http/endpoint.ts';
import { customerId } from '../schemas.ts';
import { crdtResponse, crdtDocument, maxCrdtBodyMebibytes } from './record.ts';

const pageEnd = { bytes: 8 * mebibyte, by: 'begin' } as const;

export const getCrdt = endpoint({
  paths: ['/v2/crdt/get'],
  credentials: 'apiKey',
  mutates: false,
  maxBodyMebibytes: maxCrdtBodyMebibytes,
  summary: 'Returns the content of one editor of a document, or of all.',
  description:
    'Returns content decoded from the Yjs documents, in order of the editor ids. A request without ' +
    '`pageSize` returns all records in one streamed response. An unknown editor returns an empty list. An ' +
    'unknown organization or document fails with `NOT_FOUND`.',
  data: z.strictObject({
    ...crdtDocument,
    editorId: customerId
      .optional()
      .describe('Id of the editor, max 1,000 bytes. Absent: all editors of the document.'),
    type: z.string().optional().describe('Accepted for compatibility; has no effect.'),
    ...pagingUntil(pageEnd),
  }),
  response: listResponse(crdtResponse, {
    unpagedPaths: ['/v2/crdt/get'],
    jsonMember: 'data',
    pageEnd,
  }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', editorId: 'notes' },
  async handle({ data, tenant }, { em, crdtReads }) {
    const message = 'CRDT data retrieved successfully.';
    const { editorId } = data;
    const findLocation = async () =>
      findDocument(em, await findOrganization(em, tenant, data.organizationId), data.documentId);
    if (editorId !== undefined) {
      return {
        message,
        list: async (_position, { aloneBytes }) => {
          const record = await findRecord(em, tenant, crdtReads, { ...data, editorId }, aloneBytes);
          if (record === undefined) await findLocation();
          const items = record === undefined || record === 'too-large' ? [] : [record];
          return { items, next: undefined, cut: record === 'too-large' };
        },
      };
    }
    const document = await findLocation();
    return {
      message,
      list: textPages(async (after = '', limit) => {
        const { records, next, cut } = await readRecords(em, tenant, crdtReads, document, { after, limit });
        return { items: records, next, cut };
      }),
    };
  },
});
