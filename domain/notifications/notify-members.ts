import { sql } from 'kysely';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { lockJob } from '../jobs/find-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import { jobStatusNumbers } from '../jobs/job.entity.ts';
import { planNewNotices, planNotices } from '../notices/plan-notices.ts';
import { readPlanningSettings } from '../notices/planning-settings.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Choice } from './choose-recipients.ts';
import {
  accessByRule,
  decideRecipients,
  allowEveryone,
  membersExcept,
  type NotificationLocation,
} from './decide-recipients.ts';
import { isPositionLost, lockMembers } from './document-members.ts';
import { writeNamedRecipients } from './named-recipients.ts';
import { noticeCandidates } from './notice-candidates.ts';

/** The stored request of a job that notifies remaining members; surrogate keys. */
export interface NotifyRequest {
  readonly audience: string;
  /** The last user examined; every step advances it. */
  readonly after: string;
  /** As in `MemberPage`. Undefined in jobs of a release without it. */
  readonly trail?: readonly string[];
  /** All users at the position were deleted once, so the job examines members again. */
  readonly startedOver?: boolean;
  /** The tenant's switches at the time of the call when access is verified, else null. */
  readonly verify: Tenant['switches'] | null;
}

export async function createNotifyJob(
  em: EntityManager,
  tenant: Tenant,
  { organization: id, organizationId }: NotificationLocation,
  request: NotifyRequest,
): Promise<CreatedJob> {
  // The closest public job kind: it continues a call and cannot be canceled.
  return createJob(em, tenant, {
    kind: cascadeKind,
    special: 'notifyMembers',
    organization: { id, organizationId },
    request,
  });
}

/**
 * Notifies members in short transactions, yields between them, and completes the job after the last. Each transaction stores
 * its progress, so a restart notifies no member twice.
 */
export async function* notifyMembers(orm: Orm, jobId: string): AsyncGenerator<void, void> {
  for (;;) {
    const more = await inTransaction(orm, async (em) => notifyNextMembers(em, jobId));
    if (!more) return;
    yield;
  }
}

/** Returns whether members remain. */
async function notifyNextMembers(em: EntityManager, jobId: string): Promise<boolean> {
  const job = await lockJob(em, jobId);
  if (job?.status !== jobStatusNumbers.in_progress) return false;
  const request = job.request as NotifyRequest;
  const notification = await lockNotification(em, job.apiKeyId, request.audience);
  if (notification === undefined) {
    // The notification was deleted or got other recipients.
    job.complete();
    return false;
  }
  const examined = [request.after, ...(request.trail ?? [])];
  const { members, next, trail } = await lockMembers(em, job.apiKeyId, notification, examined);
  const people = membersExcept(notification, notification.actor, members);
  const { verify: switches } = request;
  const mayReach =
    switches === null
      ? allowEveryone
      : await accessByRule(em, { id: job.apiKeyId, switches }, notification.organizationId, people);
  const choices = await decideRecipients(em, job.apiKeyId, notification.organization, people, mayReach);
  const [planning] = await Promise.all([
    readPlanningSettings(em, job.apiKeyId),
    addRecipients(em, job.apiKeyId, { ...notification, audience: request.audience }, choices),
  ]);
  const startedOver = request.startedOver === true || (await isPositionLost(em, job.apiKeyId, examined));
  const planned = {
    id: notification.id,
    audience: request.audience,
    document: notification.document,
    verify: switches !== null,
    event: undefined,
    candidates: noticeCandidates(choices),
  };
  // Members examined again may have their messages already. A job that has not started over counts no earlier message:
  // it is one of the notification that this one has overwritten.
  const plan = startedOver ? planNewNotices : planNotices;
  await plan(em, job.apiKeyId, notification.organization, [planned], planning);
  job.addProgress(members.length);
  if (next === undefined) job.complete();
  else job.request = { ...request, after: next, trail, startedOver };
  return next !== undefined;
}

export interface MembersNotification extends NotificationLocation {
  readonly id: string;
  readonly actor: string;
}

/** Locked until the recipients are written, so that a concurrent deletion sees them. */
export async function lockNotification(
  em: EntityManager,
  tenantId: string,
  audience: string,
): Promise<MembersNotification | undefined> {
  return tablesOf(em)
    .selectFrom('notification as n')
    .innerJoin('document as d', 'd.id', 'n.document_id')
    .innerJoin('organization as o', 'o.id', 'n.org_id')
    .select(['n.id', 'n.org_id as organization', 'n.document_id as document'])
    .select(['o.ext_id as organizationId', 'd.ext_id as documentId'])
    .select(sql<string>`n.body -> 'actionUser' ->> 'userId'`.as('actor'))
    .where('n.audience', '=', audience)
    .where('n.api_key_id', '=', tenantId)
    .where('d.deleted_at', 'is', null)
    .where('o.deleted_at', 'is', null)
    .where(isVisible)
    .forNoKeyUpdate('n')
    .$narrowType<{ organizationId: string; documentId: string }>()
    .executeTakeFirst();
}

/**
 * Adds the notified candidates to a locked notification as recipients, and stores the named candidates without an inbox
 * entry. Existing recipients stay.
 */
export async function addRecipients(
  em: EntityManager,
  tenantId: string,
  { id, audience }: Pick<MembersNotification, 'id'> & { readonly audience: string },
  choices: readonly Choice[],
): Promise<void> {
  await writeNamedRecipients(em, tenantId, [{ id, audience, choices }]);
  const recipients = choices.flatMap(({ notified, candidate }) => (notified ? [candidate] : []));
  if (recipients.length === 0) return;
  const notification = sql`id = ${id} and api_key_id = ${tenantId}`;
  await sql`with notified as (
      insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts, email)
      select p.user_id, n.audience, n.api_key_id, n.org_id, n.document_id, n.location_id, n.ts, p.email
      from notification n cross join unnest(${recipients.map(({ user }) => user)}::bigint[], ${recipients.map(({ email }) => email)}::text[])
        as p (user_id, email)
      where ${notification} on conflict do nothing returning 1)
    update notification set recipient_count = recipient_count + (select count(*) from notified)
    where ${notification}`.execute(tablesOf(em));
}
