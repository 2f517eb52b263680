import type { EntityManager } from '../../../platform/database/orm.ts';
import { timedTokens } from '../../../platform/encryption/tokens.ts';
import { required } from '../../../platform/process/required.ts';
import type { NewEvent } from '../../events/record-events.ts';
import type { Choice } from '../../notifications/choose-recipients.ts';
import { surrogate, type NotificationLocation } from '../../notifications/decide-recipients.ts';
import { notificationAdded } from '../../notifications/notification-event.ts';
import { peopleIn } from '../../notifications/notification.ts';
import type { NotificationBody } from '../../notifications/notification.entity.ts';
import { readEmailed } from '../../notifications/read-emailed.ts';
import { readRecipients } from '../../notifications/read-recipients.ts';
import { removeNotifications } from '../../notifications/remove-notifications.ts';
import {
  assignRecipients,
  insertNotifications,
  type NewNotification,
} from '../../notifications/write-notifications.ts';
import { sendsNotices } from '../../notices/plan-notices.ts';
import { readPlanningSettings } from '../../notices/planning-settings.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { LockedUsers } from '../../users/lock-users.ts';
import { distinctNames } from '../../users/name-index.ts';
import type { NamedPeople } from '../../users/named-users.ts';
import type { ThreadChange } from './change.ts';
import {
  chooseRecipients,
  type Chosen,
  type Continuation,
  type RecipientLimit,
} from './choose-recipients.ts';
import { planMessages, type PlannedMessages } from './plan-messages.ts';
import type { UnwrittenRecipients } from './remaining-job.ts';

/** Max recipients that a call writes; a job writes the others. */
export const maxWrittenRecipients = 10_000;

/** The notifications of a call, or of a chunk of its changes. */
export interface Notified {
  /** Number of recipients written. */
  readonly recipients: number;
  /** Notifications with further recipients, which are left to a job. */
  readonly remaining: readonly UnwrittenRecipients[];
}

/** The result of changes without notifications. */
export const noneNotified: Notified = { recipients: 0, remaining: [] };

/** A change that notifies, and its notification. */
export interface NotifiedChange {
  readonly change: ThreadChange;
  readonly body: NotificationBody;
}

/**
 * Notifies users of changes in one document. Returns the events of the notifications, and the notifications left to a
 * job. A key with a permission provider leaves all of them, because no call waits for the provider.
 */
export async function notifyOfChanges(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  notified: readonly NotifiedChange[],
  users: LockedUsers,
  limit: RecipientLimit,
): Promise<Notified & { readonly events: readonly NewEvent[] }> {
  if (notified.length === 0) return { ...noneNotified, events: [] };
  const { chosen, rest: continuations }: Chosen = tenant.switches.permissionProvider
    ? { chosen: notified.map(() => []), rest: notified.map(() => ({})) }
    : await chooseRecipients(
        em,
        tenant,
        location,
        notified.map(({ change }) => change),
        limit,
      );
  const ids = timedTokens('ntf', notified.length);
  const drafts = notified.flatMap((one, at): Draft[] =>
    draftOf({ ...one, id: required(ids[at], 'generated id') }, chosen[at] ?? [], continuations[at]),
  );
  const now = Date.now();
  const rows = drafts.map((draft) => rowOf(draft, location, users, now));
  const keys = await insertNotifications(em, tenant.id, location.organization, rows);
  const [audiences, planning] = await Promise.all([
    assignRecipients(
      em,
      tenant.id,
      drafts.map(({ choices }, at) => ({
        id: required(keys[at], 'key of an inserted notification'),
        choices,
      })),
    ),
    sendsNotices(tenant.switches) ? readPlanningSettings(em, tenant.id) : undefined,
  ]);
  const written = drafts.map((draft, at) => ({
    ...draft,
    key: required(keys[at], 'key of an inserted notification'),
    audience: required(audiences[at], 'audience of an inserted notification'),
  }));
  const { planned, emailed } = await planMessages(em, tenant, location, written, planning);
  const sent = (key: string) => planned.has(key) || (emailed.get(key) ?? []).length > 0;
  // The settings may stop e-mail and Slack for all users who want them.
  const unreached = written.filter(
    ({ key, recipients, rest }) => recipients.length === 0 && !sent(key) && rest === undefined,
  );
  await removeNotifications(
    em,
    tenant.id,
    unreached.map(({ key }) => key),
  );
  // The job announces a notification that has only further recipients.
  const announced = written.filter(
    ({ key, recipients, rest }) => recipients.length > 0 || (sent(key) && rest === undefined),
  );
  return {
    events: await eventsOf(em, tenant, location, announced, users, emailed, now),
    recipients: chosen.reduce((sum, { length }) => sum + length, 0),
    remaining: written.flatMap((one) => remainingOf(one, users, emailed.get(one.key))),
  };
}

/** A notification to write. */
interface Draft extends NotifiedChange {
  /** Public id. */
  readonly id: string;
  /** The users who get it in the inbox, by e-mail or by Slack. */
  readonly choices: readonly Choice[];
  /** Those of `choices` who get it in the inbox. */
  readonly recipients: readonly Choice[];
  /** Where a job continues; undefined when no user remains. */
  readonly rest: Continuation | undefined;
}

/** A notification with its surrogate keys. */
interface Written extends Draft {
  readonly key: string;
  readonly audience: string;
}

/** Returns no draft when neither the call nor the job notifies any user. */
function draftOf(
  one: NotifiedChange & Pick<Draft, 'id'>,
  choices: readonly Choice[],
  rest: Continuation | undefined,
): Draft[] {
  if (choices.length === 0 && rest === undefined) return [];
  const recipients = choices.filter(({ notified: inInbox }) => inInbox);
  return [{ ...one, choices, recipients, rest }];
}

function rowOf(
  { change, body, id }: Draft,
  { document }: NotificationLocation,
  users: LockedUsers,
  at: number,
): NewNotification {
  const free = peopleIn(body);
  return {
    notificationId: id,
    document,
    actor: surrogate(users, change.actor.userId),
    mentioned: namedBy(change, free).map((userId) => surrogate(users, userId)),
    at,
    hashes: null,
    body,
    names: distinctNames(free.keys),
    thread: change.thread.id,
    comment: change.comment?.key,
  };
}

/** The users that a notification names: in objects, and by name in its texts. */
const namedBy = ({ named, comment }: ThreadChange, { userIds }: NamedPeople): string[] => [
  // The text shows the names of all users that the comment tags, also of those tagged earlier.
  ...new Set([...userIds, ...named, ...(comment?.tagged ?? []).map(({ userId }) => userId)]),
];

/** The event of each notification. While webhooks are off, its recipients are not read. */
async function eventsOf(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  announced: readonly Written[],
  users: LockedUsers,
  customSenderRecipients: PlannedMessages['emailed'],
  at: number,
): Promise<NewEvent[]> {
  const keys = announced.map(({ key }) => key);
  const { webhooks } = tenant.switches;
  const shown = webhooks ? await readRecipients(em, tenant, keys, undefined) : new Map<string, never>();
  const ofAnnounced = new Map(keys.map((key) => [key, customSenderRecipients.get(key)]));
  const emailed = webhooks ? await readEmailed(em, tenant, ofAnnounced) : new Map<string, never>();
  return announced.map(({ change, body, id, key, recipients }) => {
    const free = peopleIn(body);
    const shownHere = shown.get(key) ?? [];
    const named = [body.actionUser.userId, ...namedBy(change, free)].map((userId) =>
      surrogate(users, userId),
    );
    return notificationAdded({ body, notificationId: id }, location, {
      at,
      recipients: shownHere,
      count: recipients.length,
      emailed: emailed.get(key),
      users: new Set([
        ...named,
        ...recipients.map(({ candidate }) => candidate.user),
        ...(customSenderRecipients.get(key) ?? []),
      ]),
      names: [...free.keys, ...shownHere.map(({ email }) => email)],
    });
  });
}

/** What the job needs of a notification with further recipients. `emailed`: as in `PlannedMessages`. */
function remainingOf(
  { change, recipients, rest, audience }: Written,
  users: LockedUsers,
  emailed: readonly string[] | undefined,
): UnwrittenRecipients[] {
  if (rest === undefined) return [];
  const announced = recipients.length > 0;
  return [
    {
      ...rest,
      audience,
      named: change.named.map((userId) => surrogate(users, userId)),
      announced,
      isWanted: emailed !== undefined && emailed.length > 0,
      // Only for the event, which the job emits unless the call has.
      ...(!announced && emailed !== undefined && { emailed }),
    },
  ];
}
