import { z } from 'zod';
import { maxNotificationBytes, notificationSources } from '../../domain/notifications/notification.ts';
import type { NotificationBody } from '../../domain/notifications/notification.entity.ts';
import type { NotificationRow } from '../../domain/notifications/read-notifications.ts';
import { recipientMaps, type Recipient } from '../../domain/notifications/read-recipients.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import { isLargerThan } from '../../platform/json/json-size.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { customerId, openObject, records, text } from '../schemas.ts';

/** The location of a notification within its document; stored as sent. */
const location = z.looseObject({
  locationId: customerId.optional().describe('Id of the location, max 1,000 bytes.'),
  id: customerId.optional().describe('Alias of `locationId`, max 1,000 bytes.'),
});

/** Recipients; of two with the same id the last counts. */
export const notifyUsers = records(embeddedUser, 'userId');

/** Members of a notification that an update may replace. */
export const contents = {
  actionUser: embeddedUser.optional().describe('User who acted. Unknown fields are stored.'),
  displayHeadlineMessageTemplate: text(10_000)
    .optional()
    .describe('Headline, max 10,000 characters, with variables such as `{actionUser}`.'),
  displayHeadlineMessageTemplateData: openObject
    .optional()
    .describe('Values of the variables of the headline: users or strings.'),
  displayBodyMessage: text(10_000).optional().describe('Body, max 10,000 characters.'),
  displayBodyMessageTemplate: text(10_000)
    .optional()
    .describe('Body as a template, max 10,000 characters, with variables such as `{actionUser}`.'),
  displayBodyMessageTemplateData: openObject
    .optional()
    .describe('Values of the variables of the body: users or strings.'),
  notificationSourceData: openObject.optional().describe('Data of the source; any fields.'),
  location: location.optional().describe('Location within the document. Other fields are stored.'),
  metadata: openObject
    .optional()
    .describe('Your own data; any fields. `apiKey`, `organizationId` and `documentId` are dropped.'),
  context: openObject.optional().describe('Your own data about the context; any fields.'),
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
  if (isLargerThan(maxNotificationBytes, rest)) {
    context.addIssue({ code: 'custom', message: '<m> must be at most 256 KiB without notifyUsers.' });
  }
}

const flags = z.record(z.string(), z.boolean());
const open = z.looseObject({});

export const notificationResponse = z
  .looseObject({
    id: z.string().describe('Id of the notification.'),
    notificationSource: z.enum(notificationSources).describe('Feature that caused the notification.'),
    notificationSourceData: open.describe('Data of the source, as sent.'),
    actionUser: z
      .looseObject({ userId: z.string().describe('Id of the user.') })
      .describe('User who acted, as sent.'),
    displayBodyMessage: z.string().describe('Body. Empty when none was sent.'),
    displayHeadlineMessageTemplate: z
      .string()
      .describe('Headline, with variables in braces. Empty when none was sent.'),
    displayHeadlineMessageTemplateData: open.describe('Values of the variables of the headline.'),
    metadata: z
      .looseObject({
        apiKey: z.string().describe('API key of the notification.'),
        organizationId: z.string().describe('Id of the organization.'),
        documentId: z.string().describe('Current id of the document.'),
      })
      .describe('Location of the notification, and your own metadata.'),
    notifyUsers: flags.meta({
      description: 'The first 1,000 recipients with an e-mail address, by address.',
    }),
    notifyUsersByUserId: flags.meta({
      description: 'The first 1,000 recipients by userId, and always the recipient in the `userId` filter.',
    }),
    notifyUsersCount: z.int().describe('Number of all recipients.'),
    isUnread: z
      .boolean()
      .optional()
      .describe('Whether the recipient has not read it. Present with the `userId` filter.'),
    timestamp: z.int().describe('When the notification was added, in milliseconds since the epoch.'),
  })
  .meta({ id: 'Notification' });

/** Renders rows of notifications and their recipients for responses. */
export function notificationView(tenant: CallingTenant, organizationId: string) {
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
