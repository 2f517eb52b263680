import type { EntityManager } from '../../../platform/database/orm.ts';
import { timedToken } from '../../../platform/encryption/tokens.ts';
import { eachItem, inTurns } from '../../../platform/process/in-turns.ts';
import type { NewEvent } from '../../events/record-events.ts';
import { firstOf } from '../../first-of.ts';
import { choose, type Choice } from '../../notifications/choose-recipients.ts';
import {
  accessByRule,
  allowEveryone,
  surrogate,
  type NotificationLocation,
} from '../../notifications/decide-recipients.ts';
import { lockMembers, maxTrail, type Member } from '../../notifications/document-members.ts';
import { noticeCandidates } from '../../notifications/notice-candidates.ts';
import { notificationAdded } from '../../notifications/notification-event.ts';
import { peopleIn, type NotificationBody } from '../../notifications/notification.ts';
import { preferencesInForce } from '../../notifications/preferences.ts';
import { readRecipients } from '../../notifications/read-recipients.ts';
import { removeNotifications } from '../../notifications/remove-notifications.ts';
import { assignRecipients, insertNotifications } from '../../notifications/write-notifications.ts';
import { planNotices, sendsNotices } from '../../notices/plan-notices.ts';
import { readPlanningSettings } from '../../notices/planning-settings.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { LockedUsers } from '../../users/lock-users.ts';
import { distinctNames } from '../../users/name-index.ts';
import type { NamedPeople } from '../../users/named-users.ts';
import { lockCandidates, readInvolved, readVisibility, visibilityOf, type Involved } from './candidates.ts';
import { addressesIn, emissionOf, whyOf, type ThreadChange } from './change.ts';
import type { Remaining } from './remaining-job.ts';

/** Max recipients that a call writes; a job writes the others. */
export const maxRecipients = 10_000;

/** The recipients that a call may still write. */
export interface RecipientLimit {
  readonly max: number;
  /** Leaves users who are not named to the job: named users of later notifications come first. */
  readonly namedOnly: boolean;
}

/** The notifications of a call, or of a chunk of its changes. */
export interface Notified {
  /** Number of recipients written. */
  readonly recipients: number;
  /** Notifications with further recipients, which are left to a job. */
  readonly remaining: readonly Remaining[];
}

/** The result of changes without notifications. */
export const noneNotified: Notified = { recipients: 0, remaining: [] };

/** Max pairs of a thread and an involved user that a call reads. */
const maxInvolved = 5_000;

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
  const { chosen, rest }: Chosen = tenant.switches.permissionProvider
    ? { chosen: notified.map(() => []), rest: notified.map(() => ({})) }
    : await chooseRecipients(em, tenant, location, notified, limit);
  const written = notified.flatMap((one, at) => {
    const choices = chosen[at] ?? [];
    const recipients = choices.filter(({ notified: inInbox }) => inInbox);
    const remains = rest[at];
    return choices.length > 0 || remains !== undefined
      ? [{ ...one, choices, recipients, remains, id: timedToken('ntf') }]
      : [];
  });
  const now = Date.now();
  const keys = await insertNotifications(
    em,
    tenant.id,
    location.organization,
    written.map(({ change, body, id }) => {
      const free = peopleIn(body);
      return {
        notificationId: id,
        document: location.document,
        actor: surrogate(users, change.actor.userId),
        mentioned: namedBy(change, free).map((userId) => surrogate(users, userId)),
        at: now,
        hash: null,
        body,
        names: distinctNames(free.keys),
        thread: change.thread.id,
        comment: change.comment?.key,
      };
    }),
  );
  const [audiences, planning] = await Promise.all([
    assignRecipients(
      em,
      tenant.id,
      written.map(({ choices }, at) => ({ id: keys[at] ?? '', choices })),
    ),
    sendsNotices(tenant.switches) ? readPlanningSettings(em, tenant.id) : undefined,
  ]);
  const planned =
    planning === undefined
      ? undefined
      : await planNotices(
          em,
          tenant.id,
          location.organization,
          written.map(({ change, choices }, at) => ({
            id: keys[at] ?? '',
            audience: audiences[at] ?? '',
            document: location.document,
            verify: true,
            event: change.type,
            candidates: noticeCandidates(choices, ({ candidate: { userId } }) =>
              whyOf(change.type, change.named.includes(userId)),
            ),
          })),
          planning,
        );
  const reached = written.map((one, at) => {
    const key = keys[at] ?? '';
    const isSent = planned?.has(key) === true || planning?.customSender === true;
    return { ...one, key, isSent };
  });
  // Settings may keep e-mail and Slack from all users who want them.
  const unreached = reached.filter(
    (one) => one.recipients.length === 0 && !one.isSent && one.remains === undefined,
  );
  await removeNotifications(
    em,
    tenant.id,
    unreached.map(({ key }) => key),
  );
  // The job announces a notification that has only further recipients.
  const announced = reached.filter(
    (one) => one.recipients.length > 0 || (one.isSent && one.remains === undefined),
  );
  const shown = tenant.switches.webhooks
    ? await readRecipients(
        em,
        tenant,
        announced.map(({ key }) => key),
        undefined,
      )
    : new Map<string, never>();
  const events = announced.map(({ change, body, id, key, recipients }) => {
    const free = peopleIn(body);
    const shownHere = shown.get(key) ?? [];
    const named = [body.actionUser.userId, ...namedBy(change, free)].map((userId) =>
      surrogate(users, userId),
    );
    return notificationAdded({ body, notificationId: id }, location, {
      at: now,
      recipients: shownHere,
      count: recipients.length,
      users: new Set([...named, ...recipients.map(({ candidate }) => candidate.user)]),
      names: [...free.keys, ...shownHere.map(({ email }) => email)],
    });
  });
  const remaining = written.flatMap(({ change, choices, remains, recipients }, at) =>
    remains === undefined
      ? []
      : [
          {
            ...remains,
            audience: audiences[at] ?? '',
            named: change.named.map((userId) => surrogate(users, userId)),
            announced: recipients.length > 0,
            isWanted: planning?.customSender === true && choices.some(({ channels }) => channels.email),
          },
        ],
  );
  return { events, recipients: chosen.reduce((sum, { length }) => sum + length, 0), remaining };
}

/** The users that a notification names: in objects, and by name in its texts. */
const namedBy = ({ named, comment }: ThreadChange, { userIds }: NamedPeople): string[] => [
  // The text shows the names of all users that the comment tags, also of those tagged earlier.
  ...new Set([...userIds, ...named, ...(comment?.tagged ?? []).map(({ userId }) => userId)]),
];

interface Chosen {
  /** The recipients of each change, in order. */
  readonly chosen: readonly Choice[][];
  /** Where a job continues with further users of each change; undefined when there are none. */
  readonly rest: readonly (Continuation | undefined)[];
}

type Continuation = Pick<Remaining, 'handled' | 'from' | 'trail'>;

/** Chooses the recipients of all changes. The number of statements does not depend on that of the changes. */
async function chooseRecipients(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  notified: readonly NotifiedChange[],
  { max, namedOnly }: RecipientLimit,
): Promise<Chosen> {
  const changes = notified.map(({ change }) => change);
  const reaching = (reach: string) => changes.some(({ type }) => emissionOf(type).reach === reach);
  const threads = [...new Set(changes.map(({ thread }) => thread.id))];
  const involved: Involved =
    reaching('members') || reaching('involved')
      ? await readInvolved(em, threads, maxInvolved)
      : { rows: [], more: false };
  const named = await lockCandidates(em, tenant.id, location.organization, {
    keys: involved.rows.map(({ user_id }) => user_id),
    userIds: changes.flatMap((change) => change.named),
  });
  const page = reaching('members')
    ? await lockMembers(em, tenant.id, location, [])
    : { members: [], next: undefined, trail: [] };
  const all = [...new Map([...page.members, ...named].map((user) => [user.user, user])).values()];
  const decide = await choiceOf(em, tenant, location, all);
  const keys = all.map(({ user }) => user);
  const maySee = await visibilityOf(em, await readVisibility(em, threads), keys);
  const involvedIn = Map.groupBy(involved.rows, ({ thread_id }) => thread_id);
  const byId = new Map(all.map((user) => [user.userId, user]));
  let left = max;
  const candidatesOf = (change: ThreadChange) => {
    const { reach } = emissionOf(change.type);
    const inThread = reach === 'named' ? [] : (involvedIn.get(change.thread.id) ?? []);
    const asNamed = new Set([...change.named, ...inThread.map(({ user_ext }) => user_ext)]);
    const first = [...asNamed].flatMap((userId) => byId.get(userId) ?? []);
    const others = reach === 'members' ? page.members.filter(({ userId }) => !asNamed.has(userId)) : [];
    return { first, others };
  };
  // While e-mail and Slack are off, users outside the inbox get no row.
  const sent = sendsNotices(tenant.switches);
  function* recipientsOf(
    change: ThreadChange,
    users: readonly Member[],
    isNamed: boolean,
  ): Generator<Choice> {
    const addresses = isNamed ? addressesOf(change) : new Map<string, string>();
    for (const user of users) {
      if (user.userId === change.actor.userId || !maySee(change.thread.id, user.user)) continue;
      const choice = decide(user, isNamed, addresses.get(user.userId) ?? null);
      const { notified: inInbox, channels } = choice;
      if (inInbox || (sent && (channels.email || channels.slack))) yield choice;
    }
  }
  const take = (choices: Iterable<Choice>, count: number) => {
    const found = firstOf(choices, count);
    left -= found.taken.length;
    return found;
  };
  // Named users of every change come before other users. 1,000 changes for 1,000 members are a million decisions.
  const firsts = await inTurns(
    eachItem(changes, (one) => take(recipientsOf(one, candidatesOf(one).first, true), left)),
  );
  const others = await inTurns(
    eachItem(changes, (one) =>
      take(recipientsOf(one, candidatesOf(one).others, false), namedOnly ? 0 : left),
    ),
  );
  return {
    chosen: changes.map((_, at) => [...(firsts[at]?.taken ?? []), ...(others[at]?.taken ?? [])]),
    rest: changes.map(({ type }, at): Continuation | undefined => {
      const { reach } = emissionOf(type);
      const usersOf = (choices: readonly Choice[]) => choices.map(({ candidate }) => candidate.user);
      const [named, members] = [usersOf(firsts[at]?.taken ?? []), usersOf(others[at]?.taken ?? [])];
      if (firsts[at]?.cut === true || (involved.more && reach !== 'named'))
        return { handled: [...named, ...members] };
      if (others[at]?.cut === true)
        return { handled: named, from: members.at(-1) ?? '', trail: members.slice(-1 - maxTrail, -1) };
      if (page.next === undefined || reach !== 'members') return undefined;
      return { handled: named, from: page.next, trail: page.trail };
    }),
  };
}

const addressesOf = ({ thread, comment }: ThreadChange) =>
  addressesIn([thread.body.assignedTo, ...(comment?.tagged ?? [])]);

/** Returns the choice about each of these users of one document, by access and preferences. */
async function choiceOf(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  users: readonly Member[],
): Promise<(user: Member, isNamed: boolean, email: string | null) => Choice> {
  const mayReach =
    users.length === 0
      ? allowEveryone
      : await accessByRule(
          em,
          tenant,
          location.organizationId,
          users.map(({ userId }) => ({ userId, location })),
        );
  const userLocations = users.map(({ user }) => ({ user, document: location.document }));
  const preferences = await preferencesInForce(em, tenant.id, location.organization, userLocations);
  const inForce = new Map(users.map(({ user }, at) => [user, preferences[at]]));
  return ({ user, userId }, named, email) => {
    const preference = inForce.get(user);
    if (preference === undefined) throw new Error('missing preference of a candidate');
    const hasAccess = mayReach({ userId, location });
    return choose({ user, userId, email, named, hasAccess }, preference);
  };
}
