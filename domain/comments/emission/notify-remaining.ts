import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { lockJob } from '../../jobs/find-job.ts';
import { jobStatusNumbers, type Job } from '../../jobs/job.entity.ts';
import { accessByRule, decideRecipients, type MayReach } from '../../notifications/decide-recipients.ts';
import { noticeCandidates } from '../../notifications/notice-candidates.ts';
import { addRecipients } from '../../notifications/notify-members.ts';
import { accessByProvider } from '../../notifications/verify-by-provider.ts';
import type { Decider } from '../../permissions/provider/permission-provider.ts';
import {
  maxCustomSenderRecipients,
  customSenderRecipients,
  planNewNotices,
} from '../../notices/plan-notices.ts';
import { readPlanningSettings } from '../../notices/planning-settings.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { whyOf } from './change.ts';
import { concludeNotification } from './conclude-notification.ts';
import { nextPeople, type NextPeople } from './next-people.ts';
import { isRemainingRequest, type UnwrittenRecipients, type RemainingRequest } from './remaining-job.ts';

/**
 * Notifies the remaining users in short transactions and yields after each. Each stores its position, so a restart
 * notifies no user twice. Calls the permission provider between transactions, and again when the next users have
 * changed meanwhile. When the users at the position and those of the trail are all deleted, it examines all members again,
 * also those who have deleted the notification.
 */
export async function* notifyRemaining(orm: Orm, job: Job, provider: Decider): AsyncGenerator<void, void> {
  for (;;) {
    const decided = await decisions(orm, job.publicId, provider);
    const more = await inTransaction(orm, async (em) => notifyNext(em, job.publicId, decided));
    if (!more) return;
    yield;
  }
}

const tenantOf = (job: Job, { keyId, switches }: RemainingRequest['notify']): Tenant => ({
  id: job.apiKeyId,
  keyId,
  switches,
});

/** What the permission provider has decided about users of one document, by the customer's ids. */
interface Decided {
  readonly documentId: string;
  /** The users it was asked about, also when it failed. */
  readonly asked: ReadonlySet<string>;
  readonly mayReach: MayReach;
}

/** Calls the permission provider about the next users; undefined for keys without one. */
async function decisions(orm: Orm, jobId: string, provider: Decider): Promise<Decided | undefined> {
  const query = await inTransaction(orm, async (em) => {
    const job = await lockJob(em, jobId);
    const { notify } = (job?.request ?? {}) as Partial<RemainingRequest>;
    if (job === null || notify?.switches.permissionProvider !== true) return undefined;
    const next = await nextPeople(em, job.apiKeyId, notify);
    if (next === undefined) return undefined;
    const { organizationId, documentId } = next.notification;
    const userIds = next.people.map(({ userId }) => userId);
    return { tenant: tenantOf(job, notify), organizationId, documentId, userIds };
  });
  if (query === undefined) return undefined;
  const { tenant, organizationId, documentId, userIds } = query;
  const verification = { organizationId, documentIds: [documentId], userIds };
  const mayReach = await accessByProvider(provider, tenant, verification);
  return { documentId, asked: new Set(userIds), mayReach };
}

/**
 * Whether the provider has decided about all of these users. It has not when, meanwhile, another attempt of the job
 * notified its users, a member joined or left, or a migration renamed the document.
 */
const areDecided = (
  { notification: { documentId }, people }: NextPeople,
  decided: Decided | undefined,
): boolean =>
  people.length === 0 ||
  (decided?.documentId === documentId && people.every(({ userId }) => decided.asked.has(userId)));

/** Returns whether users remain. Changes nothing while the provider was not asked about all of the next users. */
async function notifyNext(em: EntityManager, jobId: string, decided: Decided | undefined): Promise<boolean> {
  const job = await lockJob(em, jobId);
  if (job?.status !== jobStatusNumbers.in_progress || !isRemainingRequest(job.request)) return false;
  const { notify } = job.request;
  const next = await nextPeople(em, job.apiKeyId, notify);
  const tenant = tenantOf(job, notify);
  if (next !== undefined && tenant.switches.permissionProvider && !areDecided(next, decided)) return true;
  let { notifications } = notify;
  const remaining = notifications[notify.at];
  if (next !== undefined && remaining !== undefined) {
    const emailed = await addNext(em, tenant, next, decided?.mayReach, remaining);
    const after = {
      ...remaining,
      isWanted: remaining.isWanted === true || (emailed ?? []).length > 0,
      handled: [...(remaining.handled ?? []), ...next.handled],
      trail: next.trail,
      ...(!remaining.announced && emailed !== undefined && { emailed: joined(remaining.emailed, emailed) }),
    };
    if (next.after === null) await concludeNotification(em, tenant, next.notification, after);
    // The lists are not needed at the end of the notification.
    notifications = notifications.with(
      notify.at,
      next.after === null ? { ...after, handled: [], emailed: [] } : after,
    );
    job.addProgress(next.people.length);
  }
  const ended = next === undefined || next.after === null;
  const at = ended ? notify.at + 1 : notify.at;
  job.request = { notify: { ...notify, notifications, at, after: next?.after ?? null } };
  return at < notifications.length;
}

/** Members may be examined again, so a user may be in both lists. */
const joined = (before: readonly string[] = [], next: readonly string[]): string[] =>
  [...new Set([...before, ...next])].slice(0, maxCustomSenderRecipients);

/** Returns the users that the customer's own sender should e-mail, as `customSenderRecipients` does. */
async function addNext(
  em: EntityManager,
  tenant: Tenant,
  { notification, people, subject }: NextPeople,
  byProvider: MayReach | undefined,
  remaining: UnwrittenRecipients,
): Promise<readonly string[] | undefined> {
  const { id, organizationId, organization, document } = notification;
  const mayReach = tenant.switches.permissionProvider
    ? // Undefined only without people.
      (byProvider ?? (() => false))
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
  return customSenderRecipients(planning, planned);
}
