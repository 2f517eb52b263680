import type { NewEvent } from '../events/record-events.ts';
import type { NotificationLocation } from './decide-recipients.ts';
import type { NotificationBody } from './notification.ts';
import { recipientMaps, type Recipient } from './read-recipients.ts';

/** What receivers hear of a notification: as it is read, with those who get it by the call itself. */
export function notificationAdded(
  { body, notificationId }: { readonly body: NotificationBody; readonly notificationId: string },
  { organizationId, documentId, organization, document }: NotificationLocation,
  {
    at,
    told,
    users,
    names,
  }: {
    readonly at: number;
    readonly told: readonly Recipient[];
    /** Surrogate keys of everyone named. */
    readonly users: ReadonlySet<string>;
    /** Keys of the payload that may be ids or addresses. */
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
      ...recipientMaps(told),
      notifyUsersCount: told.length,
      metadata: { ...body.metadata, organizationId, documentId },
    },
    users: [...users],
    names,
  };
}
