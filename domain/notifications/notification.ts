import { jsonHash } from '../../platform/json/write-json.ts';
import { namesOf } from '../names-of.ts';
import { addActor, namedPeople, type NamedPeople } from '../users/named-users.ts';
import { recordUserKinds } from '../users/record-user.entity.ts';
import { sourceNumbers, type NotificationBody } from './notification.entity.ts';

/*
 * Personal data in these tables, for deletion and export, each with its index:
 * - notification.actor_id (notification_actor);
 * - notification.mentioned, the users in free members of `body` (record_user, kind 2; other names in json_name);
 * - notification_recipient.user_id and `email` (recipient_org), also without a notification;
 * - preference.user_id (primary key).
 */

export const notificationSources = namesOf(sourceNumbers);

/** The kind of notifications in `record_user`. */
export const notificationRecordKind = recordUserKinds.notification;

/** Max JSON bytes of a notification without its recipients. */
export const maxNotificationBytes = 262_144;

/** A recipient that the caller names. */
export interface NamedRecipient {
  readonly userId: string;
  readonly email?: string | undefined;
}

/** The type of the event that a comment's notification is about. */
export function actionTypeOf({ notificationSourceData }: NotificationBody): string | undefined {
  const { actionType } = (notificationSourceData ?? {}) as { readonly actionType?: unknown };
  return typeof actionType === 'string' ? actionType : undefined;
}

export const locationOf = ({ location }: NotificationBody): string | null =>
  location?.locationId ?? location?.id ?? null;

/** Users named in free members, including those of `actionUser`. The acting user has a separate column. */
export function peopleIn({ actionUser, ...free }: Partial<NotificationBody>): NamedPeople {
  const people = namedPeople(free);
  if (actionUser !== undefined) addActor(people, actionUser);
  return people;
}

/** Adds the recipients' addresses to the people of a body. */
export function withRecipients(people: NamedPeople, recipients: readonly NamedRecipient[]): NamedPeople {
  const given = recipients.flatMap(({ userId, email = '' }) =>
    email === '' ? [] : [[userId, email] as const],
  );
  return {
    userIds: people.userIds,
    keys: new Set([...people.keys, ...given.map(([, email]) => email)]),
    addresses: [...people.addresses, ...given],
  };
}

export const mentionedIn = (body: NotificationBody): Set<string> => peopleIn(body).userIds;

/** Equal for identical requests. */
export const contentHash = async (...parts: readonly unknown[]): Promise<Buffer> => jsonHash(parts);
