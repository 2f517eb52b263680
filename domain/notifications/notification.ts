import { jsonHash } from '../../platform/json/write-json.ts';
import { namedPeople, type NamedPeople } from '../users/named-users.ts';
import { recordUserKinds } from '../users/record-user.entity.ts';
import { sourceNumbers } from './notification.entity.ts';

/*
 * Where these tables hold a person, for deletion and export, each with its index:
 * notification.actor_id (notification_actor); notification.mentioned, the users that the free members of `body` name
 * (record_user, kind 2), and its other keys (json_name); notification_recipient.user_id and its `email` (recipient_org); preference.user_id (its primary key).
 * `request.after` of a job that notifies members is a surrogate key. Recipients without a notification may be met for a
 * while: they are found by the same index.
 * Recipients are removed by `removeFromRecipient`, which keeps `recipient_count` right.
 */

/** What a notification may come from. */
export const notificationSources = ['comment', 'huddle', 'crdt', 'recorder', 'custom'] as const;
export type NotificationSource = (typeof notificationSources)[number];

export const sourceNumber = (source: NotificationSource) => sourceNumbers[source];

/** What `record_user` calls the records of this folder. */
export const notificationRecordKind = recordUserKinds.notification;

/** Bytes of JSON that a notification may have beside its recipients. */
export const maxBytes = 262_144;

/** A notification as it was sent, without what has columns or tables of its own. */
export interface NotificationBody {
  readonly notificationSource: NotificationSource;
  readonly actionUser: { readonly userId: string };
  readonly location?:
    { readonly locationId?: string | undefined; readonly id?: string | undefined } | undefined;
  readonly metadata?: object | undefined;
  readonly [member: string]: unknown;
}

/** Someone whom the caller names as a recipient. */
export interface NamedRecipient {
  readonly userId: string;
  readonly email?: string | undefined;
}

export const locationOf = ({ location }: NotificationBody): string | null =>
  location?.locationId ?? location?.id ?? null;

/** Whom the free members name, those of the acting user too; the acting one has a column of its own. */
export function peopleIn({ actionUser, ...free }: Partial<NotificationBody>): NamedPeople {
  if (actionUser === undefined) return namedPeople(free);
  const { userId, ...ofActor } = actionUser as { readonly userId: string; readonly email?: unknown };
  const people = namedPeople(free, ofActor);
  if (typeof ofActor.email === 'string') people.addresses.push([userId, ofActor.email]);
  return people;
}

/** The same with recipients, who have tables of their own, and the addresses that they are sent with. */
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

/** Two requests that ask for the same have the same. */
export const contentHash = async (...parts: readonly unknown[]): Promise<Buffer> => jsonHash(parts);
