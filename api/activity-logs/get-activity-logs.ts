import { z } from 'zod';
import { featureTypes } from '../../domain/activity-logs/activity-log.ts';
import { readActivityLogs } from '../../domain/activity-logs/read-activity-logs.ts';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { listResponse } from '../http/response/list.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { endpoint } from '../http/endpoint.ts';
import { paging } from '../http/response/list.ts';
import { customerId, distinctItems, idOf, ids } from '../schemas.ts';
import { activityLogResponse, activityLogView } from './activity-log.ts';

export const getActivityLogs = endpoint({
  paths: ['/v2/activities/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists activity logs by time.',
  description:
    'A page may be short: only an absent `nextPageToken` marks the end. All filters apply together. ' +
    'Returns pages of 1,000 records, ordered by `timestamp`; records with the same time are in insertion ' +
    'order. The order stays stable while records are added. Unknown ids match nothing. An unknown ' +
    'organization or document fails with `NOT_FOUND`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentId: customerId.optional().describe('Only records of this document.'),
    targetEntityId: customerId.optional().describe('Only records of this target, max 1,000 bytes.'),
    featureTypes: distinctItems(z.enum(featureTypes))
      .optional()
      .describe('Only records of these features, max 1,000.'),
    actionTypes: distinctItems(z.string().min(1).max(100))
      .optional()
      .describe('Only records with one of these actions, max 1,000.'),
    userId: customerId.optional().describe('Only records of actions by this user.'),
    activityIds: ids().optional().describe('Only these records, max 1,000.'),
    order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .describe('Order by time: `desc` returns the newest first.'),
    ...paging,
  }),
  response: listResponse(activityLogResponse, { unpagedPaths: [], repeatsPageToken: true }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', pageSize: 50 },
  async handle({ data, tenant }, { em }) {
    const message = 'Activity(s) retrieved successfully.';
    const organization = await findOrganization(em, tenant, data.organizationId);
    const document =
      data.documentId === undefined ? undefined : await findDocument(em, organization, data.documentId);
    const user = data.userId === undefined ? undefined : await findUser(em, tenant, data.userId);
    // An unknown user has no activity logs.
    if (data.userId !== undefined && user === undefined) return { message, list: [] };
    const filter = { ...data, document: document?.id, user: user?.id };
    const view = activityLogView(tenant, data.organizationId);
    const list: PageReader<ReturnType<typeof view>> = async (position, limit) => {
      const [ts, id] = position ?? [];
      const after = ts === undefined ? undefined : { ts: String(ts), id: String(id) };
      const page = await readActivityLogs(em, organization, filter, { after, limit, order: data.order });
      return {
        items: page.activityLogs.map(view),
        next: page.next && [page.next.ts, page.next.id],
        cut: page.cut,
      };
    };
    return { message, list };
  },
});
