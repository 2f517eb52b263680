import type { EntityManager } from '../../../platform/database/orm.ts';
import type { UndecidedCandidate } from '../../notifications/decide-recipients.ts';
import { lockMembers, type Member } from '../../notifications/document-members.ts';
import { lockNotification, type MembersNotification } from '../../notifications/notify-members.ts';
import { tablesOf } from '../../tables.ts';
import { lockCandidates, readInvolved, decideMaySee, readVisibility } from './candidates.ts';
import { addressesIn, emissions, emissionOf, type Reach, type ThreadEventType } from './change.ts';
import type { UnwrittenRecipients, RemainingRequest } from './remaining-job.ts';

/** The users of one step of `notifyRemaining`. */
export interface NextPeople {
  readonly notification: MembersNotification;
  readonly people: readonly UndecidedCandidate[];
  /** Type of the event that the notification is about. */
  readonly subject: string | undefined;
  /** The named users that this step handles; empty for a step of members. */
  readonly handled: readonly string[];
  /** The position after them; null at the end of the notification. */
  readonly after: string | null;
  /** As in `MemberPage`. */
  readonly trail: readonly string[];
}

/** Locks the next users of a notification; undefined when it, its thread or its comment was deleted. */
export async function nextPeople(
  em: EntityManager,
  tenantId: string,
  { notifications, at, after }: RemainingRequest['notify'],
): Promise<NextPeople | undefined> {
  const remaining: Omit<UnwrittenRecipients, 'announced'> = notifications[at] ?? { audience: '0', named: [] };
  const { audience, named, handled = [], from = null, trail = [] } = remaining;
  const notification = await lockNotification(em, tenantId, audience);
  if (notification === undefined) return undefined;
  const subject = await subjectOf(em, notification.id);
  if (subject === undefined) return undefined;
  const { thread, reach, type, addresses } = subject;
  const position = after ?? from;
  const examined = position === '' || position === null ? [] : [position, ...trail];
  const page = position === null ? undefined : await lockMembers(em, tenantId, notification, examined);
  const involved =
    position === null && reach !== 'named' ? (await readInvolved(em, [thread], maxInvolved)).rows : [];
  const keys = [...named, ...involved.map(({ user_id }) => user_id)];
  const members: readonly Member[] =
    page?.members ?? (await lockCandidates(em, tenantId, notification.organization, { keys }));
  const users = members.map(({ user }) => user);
  const maySee = await decideMaySee(em, await readVisibility(em, [thread]), users);
  const isHandled = new Set(handled);
  const people = members
    .filter(
      ({ user, userId }) => userId !== notification.actor && !isHandled.has(user) && maySee(thread, user),
    )
    .map((member) => ({
      ...member,
      email: page === undefined ? (addresses.get(member.userId) ?? null) : null,
      named: page === undefined,
      location: notification,
    }));
  return {
    notification,
    people,
    subject: type,
    handled: page === undefined ? users : [],
    after: page === undefined ? (reach === 'members' ? '' : null) : (page.next ?? null),
    trail: page?.trail ?? [],
  };
}

/** Above the 1,000 users that a thread may involve, so that one statement reads all. */
const maxInvolved = 2_000;

interface Subject {
  readonly thread: string;
  readonly reach: Reach;
  readonly type: string | undefined;
  /** As `addressesIn` returns them. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** Undefined when the thread or the comment was deleted: another job may still have to remove the notification. */
async function subjectOf(em: EntityManager, notification: string): Promise<Subject | undefined> {
  const found = await tablesOf(em)
    .selectFrom('notification as n')
    .innerJoin('thread as t', 't.id', 'n.thread_id')
    .leftJoin('comment as c', 'c.id', 'n.comment_id')
    .select(['t.id as thread', 'n.comment_id', 'c.id as comment'])
    .select(['n.body', 't.body as thread_body', 'c.body as comment_body'])
    .where('n.id', '=', notification)
    .executeTakeFirst();
  if (found === undefined || found.comment_id !== found.comment) return undefined;
  const { thread, body, thread_body, comment_body } = found;
  const tagged = (comment_body?.taggedUserContacts ?? []).map(({ contact }) => contact);
  const { actionType } = (body['notificationSourceData'] ?? {}) as { readonly actionType?: string };
  const known = actionType !== undefined && Object.hasOwn(emissions, actionType);
  return {
    thread,
    reach: known ? emissionOf(actionType as ThreadEventType).reach : 'named',
    type: actionType,
    addresses: addressesIn([thread_body.assignedTo, ...tagged]),
  };
}
