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

/** The location of a notification within its document; stored as sent. */
const location = z.looseObject({ locationId: customerId.optional(), id: customerId.optional() });

/** Recipients; of two with the same id the last counts. */
export const notifyUsers = records(embeddedUser, 'userId');

/** Members of a notification that an update may replace. */
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

/** Metadata members that responses compute; those that callers send are dropped. */
const rendered: ReadonlySet<string> = new Set(['apiKey', 'organizationId', 'documentId']);

/** The stored form: without absent members and computed metadata. */
export function toBody<Sent extends { readonly metadata?: unknown }>(sent: Sent): Sent {
  const entries = Object.entries(sent).filter(([, value]) => value !== undefined);
  const body = Object.fromEntries(entries) as Sent;
  if (typeof body.metadata !== 'object' || body.metadata === null) return body;
  const own = Object.entries(body.metadata).filter(([name]) => !rendered.has(name));
  return { ...body, metadata: Object.fromEntries(own) };
}

/** Adds an issue when a notification exceeds 256 KiB without its recipients. */
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
  notifyUsers: flags.meta({ description: 'The first 1,000 recipients with an email address, by address.' }),
  notifyUsersByUserId: flags.meta({
    description: 'The first 1,000 recipients by userId, and always the recipient in the `userId` filter.',
  }),
  notifyUsersCount: z.int(),
  isUnread: z.boolean().optional(),
  timestamp: z.int(),
});

/** Renders rows of notifications and their recipients for responses. */
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

/** Adds defaults for members that were not sent. */
const complete = (body: NotificationBody) => ({
  notificationSourceData: {},
  displayBodyMessage: '',
  displayHeadlineMessageTemplate: '',
  displayHeadlineMessageTemplateData: {},
  ...body,
});
