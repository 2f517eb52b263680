import { canonicalJson } from '../../platform/json/canonical-hash.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { distinctNames } from '../users/name-index.ts';
import { surrogate } from './decide-recipients.ts';
import { locationOf, maxNotificationBytes, peopleIn, type NamedRecipient } from './notification.ts';
import type { NotificationBody } from './notification.entity.ts';
import { withoutDefaults } from './request-hashes.ts';
import type { RewrittenNotification } from './rewrite-notifications.ts';

/** A change of one notification; omitted members are kept. */
export interface NotificationChange {
  readonly id: string;
  readonly members: Partial<NotificationBody>;
  /** Replaces the current recipients. */
  readonly notifyUsers: readonly NamedRecipient[] | undefined;
  readonly readByUserIds: readonly string[];
  /** Keeps read marks when texts change. */
  readonly persistReadForUsers: boolean;
}

/** A locked notification without its body, which may have 256 KiB. */
export interface LockedNotification {
  readonly id: string;
  readonly ext_id: string;
  readonly ts: string;
  readonly document_id: string;
  readonly document_ext_id: string;
  readonly actor_id: string;
  readonly revision: number;
  readonly audience: string;
  readonly recipient_count: number;
  /** Of the stored body. */
  readonly bytes: number;
}

/** A locked notification before the change. */
export interface ExistingNotification extends LockedNotification {
  readonly body: NotificationBody;
}

/** A change of an existing notification. */
export interface ChangedNotification {
  readonly change: NotificationChange;
  readonly before: ExistingNotification;
  readonly after: NotificationBody;
}

/** Members whose change makes a notification unread. */
const texts = [
  'displayHeadlineMessageTemplate',
  'displayHeadlineMessageTemplateData',
  'displayBodyMessage',
  'displayBodyMessageTemplate',
  'displayBodyMessageTemplateData',
] as const;

/** Max recipient rows that one call updates for new locations. */
const maxRelocated = 10_000;

export const mergedBody = (body: NotificationBody, members: Partial<NotificationBody>): NotificationBody => ({
  ...body,
  ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
});

/** The merged notification has the size limit of a new one. */
export const fitsLimit = ({ after }: ChangedNotification): boolean =>
  Buffer.byteLength(JSON.stringify(after)) <= maxNotificationBytes;

const relocates = ({ before, after }: ChangedNotification): boolean =>
  locationOf(before.body) !== locationOf(after);

/**
 * Drops each update that would exceed `maxRelocated`; later ones with fewer recipients may still fit. `recipients`:
 * recipient rows that earlier updates of the call relocate; those of all are returned.
 */
export function withinRelocationLimit(
  updates: readonly ChangedNotification[],
  recipients: number,
): { readonly within: ChangedNotification[]; readonly recipients: number } {
  let sum = recipients;
  const within = updates.filter((update) => {
    if (update.change.notifyUsers !== undefined || !relocates(update)) return true;
    const next = sum + update.before.recipient_count;
    if (next > maxRelocated) return false;
    sum = next;
    return true;
  });
  return { within, recipients: sum };
}

/** Returns the next revision, unread for every recipient, when texts change and the call does not keep read marks. */
const revisionAfter = ({ change, before, after }: ChangedNotification): number => {
  const changed = !change.persistReadForUsers && textsOf(before.body) !== textsOf(after);
  return before.revision + (changed ? 1 : 0);
};

/** The texts as JSON, equal in any order of template data and with the defaults that responses show. */
const textsOf = (body: NotificationBody): string =>
  canonicalJson(withoutDefaults(Object.fromEntries(texts.map((text) => [text, body[text]]))));

const actorAfter = ({ change: { members }, before }: ChangedNotification, users: LockedUsers): string =>
  members.actionUser === undefined ? before.actor_id : surrogate(users, members.actionUser.userId);

export function rewrittenNotification(
  update: ChangedNotification,
  users: LockedUsers,
): RewrittenNotification {
  const { before, after } = update;
  const people = peopleIn(after);
  return {
    id: before.id,
    document: before.document_id,
    hashes: null,
    body: after,
    actor: actorAfter(update, users),
    mentioned: mentionedAfter(people.userIds, users),
    names: distinctNames(people.keys),
    revision: revisionAfter(update),
    ownBody: before.body['displayBodyMessage'] !== after['displayBodyMessage'],
    relocated: update.change.notifyUsers === undefined && relocates(update),
  };
}

const mentionedAfter = (userIds: ReadonlySet<string>, users: LockedUsers): string[] =>
  [...userIds].map((userId) => users.get(userId)).filter((id) => id !== undefined);
