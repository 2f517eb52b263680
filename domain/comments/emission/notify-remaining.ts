import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { recordEvents } from '../../events/record-events.ts';
import { lockJob } from '../../jobs/find-job.ts';
import { jobStatusNumbers, type Job } from '../../jobs/job.entity.ts';
import {
  accessByRule,
  decideRecipients,
  type MayReach,
  type Person,
} from '../../notifications/decide-recipients.ts';
import { lockMembers, type Member } from '../../notifications/document-members.ts';
import { noticeCandidates } from '../../notifications/notice-candidates.ts';
import { notificationAdded } from '../../notifications/notification-event.ts';
import { peopleIn } from '../../notifications/notification.ts';
import {
  addRecipients,
  lockNotification,
  type LockedNotification,
} from '../../notifications/notify-members.ts';
import { readRecipients } from '../../notifications/read-recipients.ts';
import { removeNotifications } from '../../notifications/remove-notifications.ts';
import { accessByProvider } from '../../notifications/verify-by-provider.ts';
import type { PermissionProvider } from '../../permissions/provider/permission-provider.ts';
import { planNewNotices, wasPlanned } from '../../notices/plan-notices.ts';
import { readPlanningSettings } from '../../notices/planning-settings.ts';
import { tablesOf } from '../../tables.ts';
import { deploymentLimits } from '../../tenancy/key-limits.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { lockPeople } from '../../users/lock-named.ts';
import { lockCandidates, readInvolved, readVisibility, visibilityOf } from './candidates.ts';
import { addressesIn, emissions, emissionOf, whyOf, type Reach, type ThreadEventType } from './change.ts';
import { isRemainingRequest, type Remaining, type RemainingRequest } from './remaining-job.ts';

/**
 * Notifies the remaining users in short transactions and yields after each. Each stores its position, so a restart
 * notifies no user twice. Calls the permission provider between transactions. When the users at the position and those of
 * the trail are all deleted, it examines all members again, also those who have deleted the notification.
 */
export async function* notifyRemaining(
  orm: Orm,
  job: Job,
  provider: PermissionProvider,
): AsyncGenerator<void, void> {
  for (;;) {
    const byProvider = await decisions(orm, job.publicId, provider);
    const more = await inTransaction(orm, async (em) => notifyNext(em, job.publicId, byProvider));
    if (!more) return;
    yield;
  }
}

const tenantOf = (job: Job, { keyId, switches }: RemainingRequest['notify']): Tenant => ({
  id: job.apiKeyId,
  keyId,
  apiKey: '',
  switches,
  limits: deploymentLimits,
});

/** Calls the permission provider about the next users; undefined for keys without one. */
async function decisions(
  orm: Orm,
  jobId: string,
  provider: PermissionProvider,
): Promise<MayReach | undefined> {
  const query = await inTransaction(orm, async (em) => {
    const job = await lockJob(em, jobId);
    const { notify } = (job?.request ?? {}) as Partial<RemainingRequest>;
    if (job === null || notify?.switches.permissionProvider !== true) return undefined;
    const next = await nextPeople(em, job.apiKeyId, notify);
    if (next === undefined) return undefined;
    const { organizationId, documentId } = next.notification;
    const userIds = next.people.map(({ userId }) => userId);
    return {
      tenant: tenantOf(job, notify),
      verification: { organizationId, documentIds: [documentId], userIds },
    };
  });
  return query && accessByProvider(provider, query.tenant, query.verification);
}

interface Next {
  readonly notification: LockedNotification;
  readonly people: readonly Person[];
  /** Type of the event that the notification is about. */
  readonly subject: string | undefined;
  /** All users that this step handles as named ones. */
  readonly handled: readonly string[];
  /** The position after them; null at the end of the notification. */
  readonly after: string | null;
  /** As in `MemberPage`. */
  readonly trail: readonly string[];
}

/** Locks the next users of a notification; undefined when it, its thread or its comment was deleted. */
async function nextPeople(
  em: EntityManager,
  tenantId: string,
  { notifications, at, after }: RemainingRequest['notify'],
): Promise<Next | undefined> {
  const remaining: Omit<Remaining, 'announced'> = notifications[at] ?? { audience: '0', named: [] };
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
  const maySee = await visibilityOf(em, await readVisibility(em, [thread]), users);
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

/** Returns whether users remain. */
async function notifyNext(
  em: EntityManager,
  jobId: string,
  byProvider: MayReach | undefined,
): Promise<boolean> {
  const job = await lockJob(em, jobId);
  if (job?.status !== jobStatusNumbers.in_progress || !isRemainingRequest(job.request)) return false;
  const { notify } = job.request;
  const next = await nextPeople(em, job.apiKeyId, notify);
  const tenant = tenantOf(job, notify);
  let { notifications } = notify;
  const remaining = notifications[notify.at];
  if (next !== undefined && remaining !== undefined) {
    const isWanted = await addNext(em, tenant, next, byProvider, remaining);
    const after = {
      ...remaining,
      isWanted: remaining.isWanted === true || isWanted,
      // Not needed at the end of the notification.
      handled: next.after === null ? [] : [...(remaining.handled ?? []), ...next.handled],
      trail: next.trail,
    };
    if (next.after === null) await conclude(em, tenant, next.notification, after);
    notifications = notifications.with(notify.at, after);
    job.addProgress(next.people.length);
  }
  const ended = next === undefined || next.after === null;
  const at = ended ? notify.at + 1 : notify.at;
  job.request = { notify: { ...notify, notifications, at, after: next?.after ?? null } };
  return at < notifications.length;
}

/** Returns whether one of the users accepts e-mail that the customer sends. */
async function addNext(
  em: EntityManager,
  tenant: Tenant,
  { notification, people, subject }: Next,
  byProvider: MayReach | undefined,
  remaining: Remaining,
): Promise<boolean> {
  const { id, organizationId, organization, document } = notification;
  // For a key with a permission provider, a user without a decision has no access.
  const mayReach = tenant.switches.permissionProvider
    ? (byProvider ?? (() => false))
    : await accessByRule(em, tenant, organizationId, people);
  const choices = await decideRecipients(em, tenant.id, organization, people, mayReach);
  const { audience } = remaining;
  const [planning] = await Promise.all([
    readPlanningSettings(em, tenant.id),
    addRecipients(em, tenant.id, { id, audience }, choices),
  ]);
  const named = new Set(remaining.named);
  const candidates = noticeCandidates(choices, ({ candidate: { user } }) => whyOf(subject, named.has(user)));
  const planned = { id, audience, document, verify: true, event: subject, candidates };
  // The call or an earlier step may have planned some of them, and their messages may be sent already.
  await planNewNotices(em, tenant.id, organization, [planned], planning);
  return planning.customSender && choices.some(({ channels }) => channels.email);
}

/** Deletes a notification that reaches no user. Emits the event of others, unless the call has. */
async function conclude(
  em: EntityManager,
  tenant: Tenant,
  notification: LockedNotification,
  { announced, isWanted }: Remaining,
): Promise<void> {
  const row = await tablesOf(em)
    .selectFrom('notification')
    .select(['ext_id', 'ts', 'recipient_count', 'body', 'mentioned'])
    .where('id', '=', notification.id)
    .executeTakeFirstOrThrow();
  if (row.recipient_count === 0 && isWanted !== true && !(await wasPlanned(em, notification.id))) {
    await removeNotifications(em, tenant.id, [notification.id]);
    return;
  }
  if (announced || !tenant.switches.webhooks) return;
  const body = row.body;
  const recipients =
    (await readRecipients(em, tenant, [notification.id], undefined)).get(notification.id) ?? [];
  const free = peopleIn(body);
  const ids = [body.actionUser.userId, ...free.userIds, ...recipients.map(({ userId }) => userId)];
  const users = await lockPeople(em, tenant, { ...free, userIds: new Set(ids), addresses: [] }, [
    notification.organization,
  ]);
  const event = notificationAdded({ body, notificationId: row.ext_id }, notification, {
    at: Number(row.ts),
    recipients,
    count: row.recipient_count,
    // Its texts name users too.
    users: new Set([...users.values(), ...row.mentioned]),
    names: [...free.keys, ...recipients.map(({ email }) => email)],
  });
  await recordEvents(em, tenant.id, [event]);
}
