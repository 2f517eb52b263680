import type { LockedUsers } from '../users/lock-users.ts';
import { distinctNames } from '../users/name-index.ts';
import { surrogate } from './decide-recipients.ts';
import {
  locationOf,
  maxBytes,
  peopleIn,
  type NamedRecipient,
  type NotificationBody,
} from './notification.ts';
import type { RewrittenNotification } from './rewrite-notifications.ts';

/** A change of one notification; members that are not sent stay. */
export interface NotificationChange {
  readonly id: string;
  readonly members: Partial<NotificationBody>;
  /** In the place of the present recipients. */
  readonly notifyUsers: readonly NamedRecipient[] | undefined;
  readonly readByUserIds: readonly string[];
  /** Who has read it has read it also with other texts. */
  readonly persistReadForUsers: boolean;
}

/** A notification as it stands, locked. */
export interface Existing {
  readonly id: string;
  readonly ext_id: string;
  readonly ts: string;
  readonly document_id: string;
  readonly document_ext_id: string;
  readonly actor_id: string;
  readonly revision: number;
  readonly audience: string;
  readonly recipient_count: number;
  readonly body: NotificationBody;
}

/** A change of a notification that is there. */
export interface Update {
  readonly change: NotificationChange;
  readonly before: Existing;
  readonly after: NotificationBody;
}

/** Members by which a notification says something else than before. */
const texts = [
  'displayHeadlineMessageTemplate',
  'displayHeadlineMessageTemplateData',
  'displayBodyMessage',
  'displayBodyMessageTemplate',
  'displayBodyMessageTemplateData',
] as const;

/** Recipients whose rows follow a notification to another location in one call. */
const maxRelocated = 10_000;

export const merged = (body: NotificationBody, members: Partial<NotificationBody>): NotificationBody => ({
  ...body,
  ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
});

/** What several updates add up to has the same limit as what one call sends. */
export const fits = ({ after }: Update): boolean => Buffer.byteLength(JSON.stringify(after)) <= maxBytes;

const relocates = ({ before, after }: Update): boolean => locationOf(before.body) !== locationOf(after);

/** Without those that would have to move the rows of too many recipients. */
export function withinRelocationLimit(updates: readonly Update[]): Update[] {
  let recipients = 0;
  return updates.filter((update) => {
    if (update.change.notifyUsers !== undefined || !relocates(update)) return true;
    recipients += update.before.recipient_count;
    return recipients <= maxRelocated;
  });
}

/** Said anew, it is unread for everyone. */
const revisionAfter = ({ change, before, after }: Update): number => {
  const said = texts.some((text) => JSON.stringify(before.body[text]) !== JSON.stringify(after[text]));
  return before.revision + (said && !change.persistReadForUsers ? 1 : 0);
};

const actorAfter = ({ change: { members }, before }: Update, users: LockedUsers): string =>
  members.actionUser === undefined ? before.actor_id : surrogate(users, members.actionUser.userId);

export function rewritten(update: Update, users: LockedUsers): RewrittenNotification {
  const { before, after } = update;
  const people = peopleIn(after);
  return {
    id: before.id,
    document: before.document_id,
    hash: null,
    body: after,
    actor: actorAfter(update, users),
    mentioned: mentionedAfter(people.userIds, users),
    names: distinctNames(people.keys),
    revision: revisionAfter(update),
    relocated: update.change.notifyUsers === undefined && relocates(update),
  };
}

const mentionedAfter = (userIds: ReadonlySet<string>, users: LockedUsers): string[] =>
  [...userIds].map((userId) => users.get(userId)).filter((id) => id !== undefined);
