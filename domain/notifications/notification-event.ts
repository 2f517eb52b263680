import type { NewEvent } from '../events/record-events.ts';
import type { NotificationLocation } from './decide-recipients.ts';
import type { NotificationBody } from './notification.entity.ts';
import { recipientMaps, type Recipient } from './read-recipients.ts';

/** Returns the event of a notification: the body as in responses, with the recipients so far. */
export function notificationAdded(
  { body, notificationId }: { readonly body: NotificationBody; readonly notificationId: string },
  { organizationId, documentId, organization, document }: NotificationLocation,
  {
    at,
    recipients,
    count,
    emailed,
    users,
    names,
  }: {
    readonly at: number;
    /** The recipients that the payload shows, at most 1,000. */
    readonly recipients: readonly Recipient[];
    /** Number of all recipients so far: a job may add others. */
    readonly count: number;
    /** Users that the customer's own sender should e-mail; undefined without such a sender. */
    readonly emailed: readonly Recipient[] | undefined;
    /** Surrogate keys of all users in the payload. */
    readonly users: ReadonlySet<string>;
    /** Payload keys that may be user ids or e-mail addresses. */
    readonly names: readonly string[];
  },
): NewEvent {
  return {
    type: 'notification.add',
    organization,
    document,
    channels: [organizationId, documentId],
    payload: {
      ...body,
      id: notificationId,
      timestamp: at,
      ...recipientMaps(recipients),
      notifyUsersCount: count,
      ...(emailed !== undefined && { emailRecipients: emailed }),
      metadata: { ...body.metadata, organizationId, documentId },
    },
    users: [...users],
    names,
  };
}
