import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { required } from '../../platform/process/required.ts';
import { lockLocation, type LocationRequest } from '../documents/lock-location.ts';
import { isInVisibleDocument } from '../documents/resolve-document.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import {
  customSenderRecipients,
  planNotices,
  sendsNotices,
  type PlannedNotification,
} from '../notices/plan-notices.ts';
import { readPlanningSettings } from '../notices/planning-settings.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { distinctNames } from '../users/name-index.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import type { Choice } from './choose-recipients.ts';
import {
  accessByRule,
  decideRecipients,
  allowEveryone,
  membersExcept,
  namedCandidates,
  surrogate,
  type MayReach,
  type NotificationLocation,
  type UndecidedCandidate,
} from './decide-recipients.ts';
import { lockMembers, type DocumentMemberPage } from './document-members.ts';
import { locationOf, peopleIn, withRecipients, type NamedRecipient } from './notification.ts';
import type { NotificationBody } from './notification.entity.ts';
import { createNotifyJob } from './notify-members.ts';
import { isOfDeletedSubject, leftToJob } from './left-to-job.ts';
import { recordAdded } from './record-added.ts';
import { deleteRecipients, removeNotifications } from './remove-notifications.ts';
import { refuseManyMembers } from './verify-by-provider.ts';
import { hashedRequest } from './request-hashes.ts';
import { rewriteNotifications, type RewrittenNotification } from './rewrite-notifications.ts';
import { noticeCandidates } from './notice-candidates.ts';
import { recipientRemovalJob } from './remove-remaining-notifications.ts';
import { assignRecipients, insertNotifications } from './write-notifications.ts';

export interface NotificationRequest extends Omit<LocationRequest, 'userIds'> {
  readonly notificationId: string;
  readonly body: NotificationBody;
  /** Undefined notifies every member of the document except the acting user. */
  readonly notifyUsers: readonly NamedRecipient[] | undefined;
  /** Notifies only users with access to the document. */
  readonly verifyUserPermissions: boolean;
  /** Decisions of the permission provider, called beforehand; undefined for keys without one. */
  readonly byProvider: MayReach | undefined;
}

export interface AddedNotification {
  /** Decisions about every candidate of the call. */
  readonly choices: readonly Choice[];
  /** Notifies the remaining members. */
  readonly job: CreatedJob | undefined;
  /** Deletes the remaining recipients of an overwritten notification. */
  readonly removalJob: CreatedJob | undefined;
}

/**
 * Writes a notification and decides its recipients. Overwrites one with the same id, even in another document of the
 * organization. An equal request changes nothing and emits no event. A notification that a job is still to remove
 * counts as deleted.
 */
export async function addNotification(
  em: EntityManager,
  tenant: Tenant,
  request: NotificationRequest,
): Promise<AddedNotification> {
  const { organizationId, documentId, body, notificationId } = request;
  const free = peopleIn(body);
  const mentioned = [...free.userIds];
  const locked = await lockLocation(em, tenant, { ...request, userIds: usersOfRequest(request) });
  await admitPeople(em, tenant, locked.users, withRecipients(free, request.notifyUsers ?? []), [
    locked.organization,
  ]);
  const location = {
    organizationId,
    documentId,
    organization: locked.organization,
    document: locked.document,
  };
  const found = await lockExisting(em, tenant.id, location, notificationId);
  const left =
    found?.orphaned === true
      ? 'deleted'
      : found && (await leftToJob(em, { ...location, id: found.id, location: locationOf(request.body) }));
  const existing = left === 'deleted' ? undefined : found;
  const { people, next, trail } = await peopleOf(em, tenant, request, location, locked.users);
  if (request.byProvider !== undefined) refuseManyMembers(next);
  const mayReach = await accessOf(em, tenant, request, people);
  // Sent together, so that keys that send e-mail wait for one round trip, as others do.
  const [choices, planning] = await Promise.all([
    decideRecipients(em, tenant.id, location.organization, people, mayReach),
    sendsNotices(tenant.switches) ? readPlanningSettings(em, tenant.id) : undefined,
  ]);
  const hashes = await hashedRequest(request);
  const isEqual = existing?.document_id === location.document && hashes.wrote(existing);
  // A job that reaches the notification would take it from a recipient of the equal request.
  if (isEqual && left === undefined) {
    return { choices, job: undefined, removalJob: undefined };
  }
  const at = existing?.visible === true ? Number(existing.ts) : Date.now();
  const content = {
    document: location.document,
    actor: surrogate(locked.users, body.actionUser.userId),
    mentioned: mentioned.map((id) => surrogate(locked.users, id)),
    hashes,
    body,
    names: distinctNames(free.keys),
  };
  if (found !== undefined && left !== undefined) await removeNotifications(em, tenant.id, [found.id]);
  const [key] =
    existing === undefined || left !== undefined
      ? await insertNotifications(em, tenant.id, location.organization, [{ ...content, notificationId, at }])
      : await overwrite(em, tenant.id, location.organization, existing, { ...content, at });
  const notification = required(key, 'key of a written notification');
  const [assigned] = await assignRecipients(em, tenant.id, [
    {
      id: notification,
      choices,
      request: { toMembers: request.notifyUsers === undefined, verify: request.verifyUserPermissions },
    },
  ]);
  const audience = required(assigned, 'audience of a written notification');
  const planned = plannedOf(request, location, { id: notification, audience, choices });
  if (planning !== undefined) await planNotices(em, tenant.id, location.organization, [planned], planning);
  const former = found && (await deleteRecipients(em, tenant.id, [found]));
  if (tenant.switches.webhooks) {
    await recordAdded(em, tenant, request, location, {
      id: notification,
      at,
      actor: content.actor,
      mentioned: content.mentioned,
      recipients: choices.filter(({ notified }) => notified),
      sentByCustomer: customSenderRecipients(planning, planned),
      keys: free.keys,
    });
  }
  const verify = request.verifyUserPermissions ? tenant.switches : null;
  return {
    choices,
    job:
      next === undefined
        ? undefined
        : await createNotifyJob(em, tenant, location, { audience, after: next, trail, verify }),
    removalJob: former && (await recipientRemovalJob(em, tenant, location, former)),
  };
}

/** The notification for the plan of its notices. */
const plannedOf = (
  { verifyUserPermissions: verify }: NotificationRequest,
  { document }: NotificationLocation,
  {
    id,
    audience,
    choices,
  }: Pick<PlannedNotification, 'id' | 'audience'> & { readonly choices: readonly Choice[] },
): PlannedNotification => ({
  id,
  audience,
  document,
  verify,
  event: undefined,
  candidates: noticeCandidates(choices),
});

/** A new revision makes the notification unread for every recipient. One about a comment no longer belongs to it. */
async function overwrite(
  em: EntityManager,
  tenantId: string,
  organization: string,
  { id, revision }: Pick<RewrittenNotification, 'id' | 'revision'>,
  content: Omit<RewrittenNotification, 'id' | 'revision' | 'relocated' | 'detached'>,
): Promise<string[]> {
  const next = { ...content, id, revision: revision + 1, relocated: false, detached: true };
  await rewriteNotifications(em, tenantId, organization, [next]);
  return [id];
}

/**
 * The users that a call names. Throws INVALID_ARGUMENT for too many; the acting user does not count. With a permission
 * provider it is called before the document is looked up or created.
 */
export function usersOfRequest({
  body,
  notifyUsers,
}: Pick<NotificationRequest, 'body' | 'notifyUsers'>): string[] {
  const named = new Set([...(notifyUsers ?? []).map(({ userId }) => userId), ...peopleIn(body).userIds]);
  refuseManyUsers(named.size);
  return [...named.add(body.actionUser.userId)];
}

async function accessOf(
  em: EntityManager,
  tenant: Tenant,
  { verifyUserPermissions, byProvider, organizationId }: NotificationRequest,
  people: readonly UndecidedCandidate[],
): Promise<MayReach> {
  if (!verifyUserPermissions) return allowEveryone;
  return byProvider ?? accessByRule(em, tenant, organizationId, people);
}

/** Locks the row, so that concurrent overwrites see each other's changes. */
async function lockExisting(
  em: EntityManager,
  tenantId: string,
  { organization }: NotificationLocation,
  notificationId: string,
) {
  return tablesOf(em)
    .selectFrom('notification as n')
    .select([
      'id',
      'ts',
      'document_id',
      'content_hash',
      'canonical_hash',
      'revision',
      'audience',
      'recipient_count',
    ])
    .select(isInVisibleDocument(sql.ref('n.document_id')).as('visible'))
    .select(isOfDeletedSubject.as('orphaned'))
    .where('org_id', '=', organization)
    .where('ext_id', '=', notificationId)
    .where('api_key_id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst();
}

async function peopleOf(
  em: EntityManager,
  tenant: Tenant,
  { notifyUsers, body }: NotificationRequest,
  location: NotificationLocation,
  users: LockedUsers,
): Promise<Omit<DocumentMemberPage, 'members'> & { readonly people: readonly UndecidedCandidate[] }> {
  if (notifyUsers !== undefined)
    return { people: namedCandidates(location, notifyUsers, users), next: undefined, trail: [] };
  const { members, next, trail } = await lockMembers(em, tenant.id, location, []);
  return { people: membersExcept(location, body.actionUser.userId, members), next, trail };
}
