import { z } from 'zod';
import {
  maxBytes,
  notificationSources,
  type NotificationBody,
} from '../../domain/notifications/notification.ts';
import type { NotificationRow } from '../../domain/notifications/read-notifications.ts';
import { recipientMaps, type Recipient } from '../../domain/notifications/read-recipients.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { isLargerThan } from '../json-size.ts';
import { customerId, openObject, records, text } from '../schemas.ts';

/** Where in a document a notification belongs; kept as sent. */
const location = z.looseObject({ locationId: customerId.optional(), id: customerId.optional() });

/** Recipients as they are sent; of two with one id the last counts. */
export const notifyUsers = records(embeddedUser, 'userId');

/** Members that a notification is made of, each of which an update may replace. */
export const contents = {
  actionUser: embeddedUser.optional(),
  displayHeadlineMessageTemplate: text(10_000).optional(),
  displayHeadlineMessageTemplateData: openObject.optional(),
  displayBodyMessage: text(10_000).optional(),
  displayBodyMessageTemplate: text(10_000).optional(),
  displayBodyMessageTemplateData: openObject.optional(),
  notificationSourceData: openObject.optional(),
  location: location.optional(),
  metadata: openObject.optional(),
  context: openObject.optional(),
};

export const notificationId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, {
  error: '<m> must be 1 to 128 of the characters A-Z a-z 0-9 _ -.',
});

/** Members that are rendered as a notification is read; a caller's of these names are dropped. */
const rendered: ReadonlySet<string> = new Set(['apiKey', 'organizationId', 'documentId']);

/** What is stored: without members that are absent, and without metadata that is rendered. */
export function toBody<Sent extends { readonly metadata?: unknown }>(sent: Sent): Sent {
  const entries = Object.entries(sent).filter(([, value]) => value !== undefined);
  const body = Object.fromEntries(entries) as Sent;
  if (typeof body.metadata !== 'object' || body.metadata === null) return body;
  const own = Object.entries(body.metadata).filter(([name]) => !rendered.has(name));
  return { ...body, metadata: Object.fromEntries(own) };
}

/** Reports a notification of more than 256 KiB beside its recipients. */
export function refuseLarge(sent: object, context: z.core.$RefinementCtx): void {
  const { notifyUsers: _recipients, ...rest } = sent as { notifyUsers?: unknown };
  if (isLargerThan(maxBytes, rest)) {
    context.addIssue({ code: 'custom', message: '<m> must be at most 256 KiB beside notifyUsers.' });
  }
}

const flags = z.record(z.string(), z.boolean());
const open = z.looseObject({});

export const notificationResponse = z.looseObject({
  id: z.string(),
  notificationSource: z.enum(notificationSources),
  notificationSourceData: open,
  actionUser: z.looseObject({ userId: z.string() }),
  displayBodyMessage: z.string(),
  displayHeadlineMessageTemplate: z.string(),
  displayHeadlineMessageTemplateData: open,
  metadata: z.looseObject({ apiKey: z.string(), organizationId: z.string(), documentId: z.string() }),
  notifyUsers: flags.meta({ description: 'By e-mail address: the first 1,000 recipients that have one.' }),
  notifyUsersByUserId: flags.meta({
    description: 'By userId: the first 1,000 recipients, and always the one asked about.',
  }),
  notifyUsersCount: z.int(),
  isUnread: z.boolean().optional(),
  timestamp: z.int(),
});

/** Writes rows of notifications, with recipients that the caller may see, as responses show them. */
export function notificationView(tenant: Tenant, organizationId: string) {
  return (row: NotificationRow, recipients: readonly Recipient[]) => ({
    id: row.ext_id,
    ...complete(row.body),
    timestamp: Number(row.ts),
    ...recipientMaps(recipients),
    notifyUsersCount: row.recipient_count,
    ...(row.unread !== null && { isUnread: row.unread }),
    metadata: {
      ...row.body.metadata,
      apiKey: tenant.apiKey,
      organizationId,
      documentId: row.document_ext_id,
    },
  });
}

/** Every member of a notification, also where nothing was sent. */
const complete = (body: NotificationBody) => ({
  notificationSourceData: {},
  displayBodyMessage: '',
  displayHeadlineMessageTemplate: '',
  displayHeadlineMessageTemplateData: {},
  ...body,
});
