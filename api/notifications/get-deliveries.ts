import { z } from 'zod';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import type { DeliveryFilter } from '../../domain/notices/delivery-filter.ts';
import { readDeliveries } from '../../domain/notices/read-deliveries.ts';
import { findNotification } from '../../domain/notifications/find-notification.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { findUser } from '../../domain/users/find-user.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { customerId, distinctItems, idOf, ids, milliseconds } from '../schemas.ts';
import { deliveryChannel, deliveryResponse, deliveryStatus, deliveryView } from './delivery.ts';

const data = z.strictObject({
  organizationId: idOf('the organization'),
  userId: customerId.optional().describe('Only deliveries to this user.'),
  notificationId: customerId.optional().describe('Only deliveries with this notification.'),
  documentId: customerId.optional().describe('Only deliveries with a notification in this document.'),
  deliveryIds: ids(100).optional().describe('Only these deliveries, max 100.'),
  channels: distinctItems(deliveryChannel, 2).optional().describe('Only deliveries on these channels.'),
  statuses: distinctItems(deliveryStatus, 9)
    .optional()
    .describe('Only deliveries with one of these statuses.'),
  since: milliseconds
    .optional()
    .describe('Only deliveries created at or after this time, in milliseconds since the epoch.'),
  until: milliseconds
    .optional()
    .describe('Only deliveries created before this time, in milliseconds since the epoch.'),
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .describe('Order by createdAt: `desc` returns the newest first.'),
  ...paging,
});

const message = 'Deliveries retrieved successfully.';

export const getDeliveries = endpoint({
  paths: ['/v2/notifications/deliveries/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists deliveries of notifications by e-mail and Slack, newest first.',
  description:
    'Filters are combined with AND. Deliveries are kept for 30 days after their creation. A page examines at most ' +
    '20,000 deliveries and ends at 10 MiB, so it may be short: only an absent `nextPageToken` marks the end. ' +
    'Unknown users, notifications and deliveries match nothing. An unknown organization or document fails with ' +
    '`NOT_FOUND`.',
  data,
  response: listResponse(deliveryResponse, { unpagedPaths: [], repeatsPageToken: true }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', userId: 'ben', pageSize: 50 },
  async handle({ data: sent, tenant }, { em }) {
    const filter = await resolved(em, tenant, sent);
    if (filter === undefined) return { message, list: [] };
    const view = deliveryView(sent.organizationId);
    const list: PageReader<z.input<typeof deliveryResponse>> = async (position, limit) => {
      const [at, id] = position ?? [];
      const after = at === undefined ? undefined : { at: String(at), id: String(id) };
      const { deliveries, next, cut } = await readDeliveries(em, filter, { after, limit, order: sent.order });
      return { items: deliveries.map(view), next: next && [next.at, next.id], cut };
    };
    return { message, list };
  },
});

/** Resolves ids to surrogate keys. Undefined for a user or notification that is unknown: nothing matches. */
async function resolved(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userId, notificationId, documentId, ...filter }: z.output<typeof data>,
): Promise<DeliveryFilter | undefined> {
  const organization = await findOrganization(em, tenant, organizationId);
  const document = documentId === undefined ? undefined : await findDocument(em, organization, documentId);
  const user = userId === undefined ? undefined : await findUser(em, tenant, userId);
  if (userId !== undefined && user === undefined) return undefined;
  const notification =
    notificationId === undefined ? undefined : await findNotification(em, organization, notificationId);
  if (notificationId !== undefined && notification === undefined) return undefined;
  return {
    ...filter,
    tenantId: tenant.id,
    organization: organization.id,
    document: document?.id,
    user: user?.id,
    notification: notification?.id,
  };
}
