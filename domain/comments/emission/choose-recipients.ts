import { required } from '../../../platform/process/required.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { eachItem, inTurns } from '../../../platform/process/in-turns.ts';
import { firstOf } from '../../first-of.ts';
import { choose, type Choice } from '../../notifications/choose-recipients.ts';
import {
  accessByRule,
  allowEveryone,
  type NotificationLocation,
} from '../../notifications/decide-recipients.ts';
import { lockMembers, maxTrail, type Member } from '../../notifications/document-members.ts';
import { preferencesInForce } from '../../notifications/preferences.ts';
import { sendsNotices } from '../../notices/plan-notices.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { lockCandidates, readInvolved, decideMaySee, readVisibility, type Involved } from './candidates.ts';
import { addressesIn, emissionOf, type ThreadChange } from './change.ts';
import type { UnwrittenRecipients } from './remaining-job.ts';

/** The recipients that a call may still write. */
export interface RecipientLimit {
  readonly max: number;
  /** Leaves users who are not named to the job: named users of later notifications come first. */
  readonly namedOnly: boolean;
}

/** Max pairs of a thread and an involved user that a call reads. */
const maxInvolved = 5_000;

/** The users to notify of each change. */
export interface Chosen {
  /** The recipients of each change, in order. */
  readonly chosen: readonly Choice[][];
  /** Where a job continues with further users of each change; undefined when there are none. */
  readonly rest: readonly (Continuation | undefined)[];
}

/** Where a job continues with further users of a change. */
export type Continuation = Pick<UnwrittenRecipients, 'handled' | 'from' | 'trail'>;

/** Chooses the recipients of all changes. The number of statements does not depend on that of the changes. */
export async function chooseRecipients(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  changes: readonly ThreadChange[],
  { max, namedOnly }: RecipientLimit,
): Promise<Chosen> {
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
  const maySee = await decideMaySee(em, await readVisibility(em, threads), keys);
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
    const preference = required(inForce.get(user), 'preference of a candidate');
    const hasAccess = mayReach({ userId, location });
    return choose({ user, userId, email, named, hasAccess }, preference);
  };
}
