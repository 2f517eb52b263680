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
import { customerId, idOf, ids, items } from '../schemas.ts';
import { activityLogResponse, activityLogView } from './activity-log.ts';

export const getActivityLogs = endpoint({
  paths: ['/v2/activities/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists activity logs by time. A page may be short; the last page has no nextPageToken.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentId: idOf('the document').optional(),
    targetEntityId: customerId.optional(),
    featureTypes: items(z.enum(featureTypes)).optional(),
    actionTypes: items(z.string().min(1).max(100)).optional(),
    userId: idOf('the user').optional(),
    activityIds: ids().optional(),
    order: z.enum(['asc', 'desc']).default('desc'),
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
