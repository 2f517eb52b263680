import { z } from 'zod';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { readRecordings } from '../../domain/recordings/read-recordings.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { customerId, ids } from '../schemas.ts';
import { recordingResponse, recordingView } from './recording.ts';

export const getRecordings = endpoint({
  paths: ['/v2/recordings/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists recordings of a document or an organization, the most recently updated first.',
  description:
    'Without `documentId`, lists recordings of every document. A page ends at `pageSize` or 10 MiB and ' +
    'may be short: only an absent `nextPageToken` marks the end. A recording that does not change while ' +
    'pages are read appears exactly once.',
  data: z.strictObject({
    organizationId: customerId.describe('Id of the organization.'),
    documentId: customerId.optional().describe('Only recordings of this document.'),
    recordingIds: ids()
      .optional()
      .describe('Only recordings with one of these 1 to 1,000 ids. Unknown ids are left out.'),
    ...paging,
  }),
  response: listResponse(recordingResponse, { unpagedPaths: [], repeatsPageToken: true }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', pageSize: 50 },
  async handle({ data, tenant }, { em }) {
    const organization = await findOrganization(em, tenant, data.organizationId);
    const document =
      data.documentId === undefined ? undefined : await findDocument(em, organization, data.documentId);
    const filter = { document: document?.id, recordingIds: data.recordingIds };
    const view = recordingView(tenant, data.organizationId);
    const list: PageReader<ReturnType<typeof view>> = async (position, limit) => {
      const [lastUpdated, id] = position ?? [];
      const after =
        lastUpdated === undefined ? undefined : { lastUpdated: String(lastUpdated), id: String(id) };
      const page = await readRecordings(em, organization, filter, { after, limit });
      return {
        items: page.recordings.map(view),
        next: page.next && [page.next.lastUpdated, page.next.id],
        cut: page.cut,
      };
    };
    return { message: 'Recorder annotations retrieved successfully.', list };
  },
});
