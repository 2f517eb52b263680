import { z } from 'zod';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { maxReadRecipients } from '../../domain/notifications/read-notifications.ts';
import { readNotificationPage } from '../../domain/notifications/read-notification-page.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { listResponse } from '../http/response/list.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { allOf, anyOf, not, sends, rule } from '../rules.ts';
import { paging } from '../http/response/list.ts';
import { customerId, idOf, ids } from '../schemas.ts';
import { notificationResponse, notificationView } from './notification.ts';

const filters = ['documentId', 'locationId', 'userId', 'notificationIds'] as const;

/** Filters that may be combined beside `organizationId`. */
const combinations: readonly (readonly (typeof filters)[number][])[] = [
  ['documentId'],
  ['documentId', 'notificationIds'],
  ['documentId', 'locationId'],
  ['documentId', 'locationId', 'notificationIds'],
  ['userId'],
  ['userId', 'notificationIds'],
  ['documentId', 'userId'],
  ['locationId', 'userId'],
  ['documentId', 'locationId', 'userId'],
];

const justThese = (members: readonly string[]) =>
  allOf(
    sends(...members),
    not(anyOf(...filters.filter((name) => !members.includes(name)).map((name) => sends(name)))),
  );

const unsupported = `Beside organizationId send one of these combinations: ${combinations
  .map((members) => members.join(' + '))
  .join('; ')}.`;

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    documentId: customerId.optional().describe('Only notifications of this document.'),
    locationId: customerId.optional().describe('Only notifications of this location, max 1,000 bytes.'),
    userId: customerId.optional().describe('Only notifications that this user received. Adds `isUnread`.'),
    notificationIds: ids().optional().describe('Only these notifications, max 1,000.'),
    order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .describe('Order by time: `desc` returns the newest first.'),
    ...paging,
  })
  .check(
    rule(unsupported, anyOf(...combinations.map(justThese)), [], (sent, context) => {
      const members = filters.filter((member) => sent[member] !== undefined).join();
      if (!combinations.some((known) => known.join() === members)) {
        context.addIssue({ code: 'custom', message: unsupported });
      }
    }),
  );

export const getNotifications = endpoint({
  paths: bothVersions('notifications/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists notifications by one of nine combinations of filters, newest first.',
  description:
    'A page may be short: only an absent `nextPageToken` marks the end. Any other combination of filters ' +
    'fails with `INVALID_ARGUMENT`, whose message lists the nine. On `/v1`, a request without `pageSize` ' +
    'returns all notifications in one streamed response; `/v2` returns pages of 1,000. The order stays ' +
    'stable while notifications are added. Unknown users and notifications match nothing. An unknown ' +
    'organization or document fails with `NOT_FOUND`.',
  data,
  response: listResponse(notificationResponse, {
    unpagedPaths: ['/v1/notifications/get'],
    repeatsPageToken: true,
  }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', pageSize: 50 },
  async handle({ data: sent, tenant }, { em }) {
    const message = 'Notification(s) retrieved successfully.';
    const { organizationId, documentId, locationId, userId, notificationIds, order } = sent;
    const organization = await findOrganization(em, tenant, organizationId);
    const document = documentId === undefined ? undefined : await findDocument(em, organization, documentId);
    const user = userId === undefined ? undefined : await findUser(em, tenant, userId);
    // An unknown user has no notifications.
    if (userId !== undefined && user === undefined) return { message, list: [] };
    const filter = { document: document?.id, location: locationId, user: user?.id, notificationIds };
    const view = notificationView(tenant, organizationId);
    let rendered = 0;
    const list: PageReader<ReturnType<typeof view>> = async (position, limit) => {
      const [ts, id] = position ?? [];
      const after = ts === undefined ? undefined : { ts: String(ts), id: String(id) };
      const { notifications, recipients, next, cut } = await readNotificationPage(
        em,
        tenant,
        organization,
        filter,
        {
          after,
          limit,
          order,
        },
      );
      rendered += notifications.reduce((sum, { recipient_count }) => sum + recipient_count, 0);
      return {
        items: notifications.map((row) => view(row, recipients.get(row.id) ?? [])),
        next: next && [next.ts, next.id],
        // The recipient limit also ends a page.
        cut: cut && (notifications.length === 0 || rendered < maxReadRecipients),
      };
    };
    return { message, list };
  },
});
