import { sql } from 'kysely';
import { z } from 'zod';
import { announce, type EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { channelNumbers, sentChannels, type SentChannel } from './channels.ts';
import { NoticesPlanned } from './notices-planned.ts';
import type { PlanningSettings } from './planning-settings.ts';
import { stoppedAtPlanning, type PlanningFacts } from './rules/planning-rules.ts';
import { noticeStates, whyNumbers, type Why } from './statuses.ts';

/** A user that a notification may reach. `user`: surrogate key. */
export interface NoticeCandidate {
  readonly user: string;
  readonly why: Why;
  readonly hasAccess: boolean;
  /** The preferences in force. */
  readonly levels: Readonly<Record<SentChannel, PlanningFacts['level']>>;
  /** Whether the user got an inbox entry. */
  readonly inInbox: boolean;
}

/** A written notification, and the candidates who may see its subject. Surrogate keys. */
export interface PlannedNotification {
  readonly id: string;
  readonly audience: string;
  readonly document: string;
  /** Whether its readers need access to the document when it is sent. */
  readonly verify: boolean;
  /** Event type of a comment's notification; undefined for other notifications. */
  readonly event: string | undefined;
  readonly candidates: readonly NoticeCandidate[];
}

/** Switches of a key. Keys without these channels need no statements. */
export interface ChannelSwitches {
  readonly notificationService: boolean;
  readonly email?: boolean;
  readonly slack?: boolean;
}

export const sendsNotices = (switches: ChannelSwitches): boolean =>
  switches.notificationService && (switches.email === true || switches.slack === true);

/**
 * Writes the notices of notifications in the transaction that writes their inbox entries, under the same locks of users:
 * one statement for any number. An overwritten notification keeps its waiting notice. One that moves to another document
 * leaves its windows, because they belong to the former document. Announces `NoticesPlanned`. Returns the notifications
 * with notices.
 */
export async function planNotices(
  em: EntityManager,
  tenantId: string,
  organization: string,
  notifications: readonly PlannedNotification[],
  settings: PlanningSettings,
): Promise<ReadonlySet<string>> {
  return plan(em, tenantId, { organization, notifications, settings, skipsEarlier: false });
}

/**
 * Like `planNotices`, without users that already have a notice for the audience, or a delivery of the notification, on
 * the channel.
 */
export async function planNewNotices(
  em: EntityManager,
  tenantId: string,
  organization: string,
  notifications: readonly PlannedNotification[],
  settings: PlanningSettings,
): Promise<void> {
  await plan(em, tenantId, { organization, notifications, settings, skipsEarlier: true });
}

/** Max users per notification that the customer's own sender is given. */
export const maxCustomSenderRecipients = 1_000;

/**
 * Users that the customer's own sender (type `custom`) should e-mail: the first 1,000 candidates who pass the rules of
 * planning, by surrogate keys. Undefined while e-mail is off or has another type.
 */
export function customSenderRecipients(
  settings: PlanningSettings | undefined,
  notification: Pick<PlannedNotification, 'event' | 'candidates'>,
): readonly string[] | undefined {
  if (settings?.customSender !== true) return undefined;
  const { email } = settings.channels;
  const own = { ...settings, channels: { ...settings.channels, email: { ...email, state: 'on' as const } } };
  return notification.candidates
    .filter((candidate) => stoppedAtPlanning(factsOf(own, notification, candidate, 'email')) === undefined)
    .slice(0, maxCustomSenderRecipients)
    .map(({ user }) => user);
}

/** SQL: whether the notice on conflict waits in windows that do not belong to its new document. */
const leavesWindows = sql`notice.state = ${sql.lit(noticeStates.batching)} and notice.document_id <> excluded.document_id`;

interface Planning {
  readonly organization: string;
  readonly notifications: readonly PlannedNotification[];
  readonly settings: PlanningSettings;
  readonly skipsEarlier: boolean;
}

/**
 * SQL: no earlier notice or delivery of `p`. A notice moves to the log in one transaction, so one of the two is seen. Each
 * subquery ends with `offset 0`, so that PostgreSQL reads the user's deliveries and not all of the notification for each
 * user: it cannot know which are fewer.
 */
const isNew = (organization: string) => sql`not exists (
    select from notice n where n.notification_id = p.notification_id and n.user_id = p.user_id and n.channel = p.channel
      and n.audience = p.audience)
  and not exists (
    select from (
      select l.at, l.id from delivery_log l
      where l.user_id = p.user_id and l.org_id = ${organization} and l.channel = p.channel
        -- Prunes partitions: no delivery is older than its notification.
        and l.at >= (select to_timestamp(n.ts / 1000.0) - interval '1 hour' from notification n where n.id = p.notification_id)
      offset 0) l
    cross join lateral (
      select from delivery_item t
      where t.at = l.at and t.delivery_id = l.id and t.notification_id = p.notification_id offset 0) t)`;

async function plan(
  em: EntityManager,
  tenantId: string,
  { organization, notifications, settings, skipsEarlier }: Planning,
): Promise<ReadonlySet<string>> {
  const planned = notifications.flatMap((notification) =>
    notification.candidates.flatMap((candidate) =>
      sentChannels
        .filter(
          (channel) => stoppedAtPlanning(factsOf(settings, notification, candidate, channel)) === undefined,
        )
        .map((channel) => ({ notification, candidate, channel })),
    ),
  );
  const ids = new Set(planned.map(({ notification }) => notification.id));
  if (planned.length === 0) return ids;
  const written = await rowOf(
    em,
    WrittenRow,
    sql`with planned as (
      insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience, in_inbox, due_at)
      select ${tenantId}, ${organization}, p.document_id, p.user_id, p.notification_id, p.channel, ${sql.lit(noticeStates.waiting)},
        p.why, p.verify, p.audience, p.in_inbox, now() + ${settings.delaySeconds}::int * interval '1 second'
      from unnest(${planned.map(({ notification }) => notification.document)}::bigint[],
          ${planned.map(({ candidate }) => candidate.user)}::bigint[],
          ${planned.map(({ notification }) => notification.id)}::bigint[],
          ${planned.map(({ channel }) => channelNumbers[channel])}::smallint[],
          ${planned.map(({ candidate }) => whyNumbers[candidate.why])}::smallint[],
          ${planned.map(({ notification }) => notification.verify)}::boolean[],
          ${planned.map(({ notification }) => notification.audience)}::bigint[],
          ${planned.map(({ candidate }) => candidate.inInbox)}::boolean[])
        as p (document_id, user_id, notification_id, channel, why, verify, audience, in_inbox)
      ${skipsEarlier ? sql`where ${isNew(organization)}` : sql``}
      order by p.notification_id, p.user_id, p.channel
      on conflict (notification_id, user_id, channel, delivery_id) do update set document_id = excluded.document_id,
        why = excluded.why, verify = excluded.verify, audience = excluded.audience, in_inbox = excluded.in_inbox,
        state = case when ${leavesWindows} then excluded.state else notice.state end,
        due_at = case when ${leavesWindows} then excluded.due_at else notice.due_at end
      returning channel)
    select public_id as key_id, array(select distinct channel::int from planned) as channels from api_key where id = ${tenantId}`,
  );
  if (written === undefined) return ids;
  const waiting = written.channels.map((number) => nameOfNumber(channelNumbers, number));
  announce(em, new NoticesPlanned(written.key_id, waiting, settings.delaySeconds * 1_000));
  return ids;
}

/** Returns whether a notification has notices or deliveries, by surrogate key. */
export async function wasPlanned(em: EntityManager, notification: string): Promise<boolean> {
  const { planned } = await onlyRowOf(
    em,
    PlannedRow,
    sql`select exists (select from notice where notification_id = ${notification})
      or exists (select from delivery_item where notification_id = ${notification}) as planned`,
  );
  return planned;
}

const PlannedRow = z.strictObject({ planned: z.boolean() });

const WrittenRow = z.strictObject({ key_id: z.string(), channels: z.array(z.number()) });

function factsOf(
  { serviceOn, channels: settings }: PlanningSettings,
  { event }: Pick<PlannedNotification, 'event'>,
  { why, hasAccess, levels }: NoticeCandidate,
  channel: SentChannel,
): PlanningFacts {
  const isNamed = why !== 'member';
  const { state, triggers } = settings[channel];
  return {
    serviceOn,
    channel: state,
    trigger: event === undefined ? undefined : Object.hasOwn(triggers, event) && triggers[event] === true,
    recipient: isNamed ? 'named' : 'member',
    // True: candidates may see the annotation.
    isVisible: true,
    hasAccess,
    level: levels[channel],
    isNamed,
  };
}
