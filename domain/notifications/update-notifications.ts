import { sql } from 'kysely';
import { z } from 'zod';
import { required } from '../../platform/process/required.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, anyOfIds, rowOf } from '../../platform/database/statements.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { byteChunks } from '../byte-chunks.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { aborted } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { withKnownUsers } from '../users/known-users.ts';
import { lockUsers } from '../users/lock-users.ts';
import { mergedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import {
  fitsLimit,
  mergedBody,
  rewrittenNotification,
  withinRelocationLimit,
  type ChangedNotification,
  type ExistingNotification,
  type LockedNotification,
  type NotificationChange,
} from './change-notification.ts';
import { surrogate } from './decide-recipients.ts';
import { isNotificationLeftToJob, isOfDeletedSubject } from './left-to-job.ts';
import { lockUpdateScope, type UpdateScopeRequest } from './lock-update-scope.ts';
import { mentionedIn, peopleIn, withRecipients } from './notification.ts';
import { recipientRemovalJob } from './remove-remaining-notifications.ts';
import { replaceRecipients, type NotificationUpdateScope } from './replace-recipients.ts';
import { markRead, rewriteNotifications } from './rewrite-notifications.ts';

export interface NotificationUpdate {
  readonly outcomes: Outcomes;
  /** Deletes the remaining former recipients. */
  readonly job: CreatedJob | undefined;
}

/** Updates notifications, at most 2 MiB of stored bodies at a time. Read marks alone read no body. */
export async function updateNotifications(
  em: EntityManager,
  tenant: Tenant,
  request: UpdateScopeRequest,
  changes: readonly NotificationChange[],
): Promise<NotificationUpdate> {
  const userIds = usersOfChanges(changes);
  const scope = await lockUpdateScope(em, tenant, request, userIds);
  const users = await lockUsers(em, tenant, userIds);
  const sent = mergedPeople(changes.map(({ members }) => peopleIn(members)));
  const recipients = changes.flatMap(({ notifyUsers = [] }) => notifyUsers);
  await admitPeople(em, tenant, users, withRecipients(sent, recipients), [scope.organization]);
  const ids = changes.map(({ id }) => id);
  const locked = await lockExisting(em, tenant.id, scope, ids);
  const found = changes.filter(({ id }) => locked.has(id));
  const changed = new Set(found.filter((change) => !rewrites(change)).map(({ id }) => id));
  const large = new Set<string>();
  let relocated = 0;
  for (const chunk of byteChunks(found.filter(rewrites), ({ id }) => locked.get(id)?.bytes ?? 0)) {
    const existing = await readBodies(
      em,
      tenant.id,
      chunk.flatMap(({ id }) => locked.get(id) ?? []),
    );
    const updates = await inTurns(eachItem(chunk, (change) => updateOf(change, existing)));
    for (const update of updates) if (!fitsLimit(update)) large.add(update.change.id);
    const { within, recipients: moved } = withinRelocationLimit(updates.filter(fitsLimit), relocated);
    relocated = moved;
    const named = within.flatMap(({ after }) => [...mentionedIn(after)]);
    const known = await withKnownUsers(em, tenant.id, users, named);
    await rewriteNotifications(
      em,
      tenant.id,
      scope.organization,
      within.map((update) => rewrittenNotification(update, known)),
    );
    for (const { change } of within) changed.add(change.id);
  }
  const replacing = found.flatMap((change) => {
    const before =
      change.notifyUsers !== undefined && changed.has(change.id) ? locked.get(change.id) : undefined;
    return before === undefined ? [] : [{ change, before }];
  });
  const former = await replaceRecipients(em, tenant, scope, replacing, users);
  await refuseLeftToJobs(
    em,
    scope.organization,
    found.flatMap(({ id, members }) =>
      changed.has(id) && members.location !== undefined ? (locked.get(id)?.id ?? []) : [],
    ),
    replacing.map(({ before }) => before.id),
  );
  await markRead(
    em,
    tenant.id,
    scope.organization,
    found
      .filter(({ id }) => changed.has(id))
      .flatMap(({ id, readByUserIds }) =>
        readByUserIds.map((userId) => ({ notificationId: id, user: surrogate(users, userId) })),
      ),
  );
  const refusals = new Map(
    found.map(({ id }) => [id, large.has(id) ? 'invalid-argument' : 'failed-precondition'] as const),
  );
  const outcome = (id: string): Outcome => {
    if (changed.has(id)) return done('Notification updated.');
    return failed(refusals.get(id) ?? 'not-found', 'Failed to update notification.');
  };
  return {
    outcomes: new Map(ids.map((id) => [id, outcome(id)])),
    job: await recipientRemovalJob(em, tenant, scope, former),
  };
}

/**
 * Throws ABORTED when an update made notifications match the selection of a deletion that returned before the update: the
 * job would delete what the update wrote. `moved`: in other locations; `addressed`: with other recipients. Surrogate keys.
 */
async function refuseLeftToJobs(
  em: EntityManager,
  organization: string,
  moved: readonly string[],
  addressed: readonly string[],
): Promise<void> {
  const changed = [...moved, ...addressed];
  if (changed.length === 0) return;
  const left = await rowOf(
    em,
    z.strictObject({ id: z.string() }),
    sql`select n.id from notification n
      where n.id = any(${changed}::bigint[])
        and ${isNotificationLeftToJob(organization, sql`n.id = any(${addressed}::bigint[])`)} limit 1`,
  );
  if (left !== undefined) throw aborted();
}

/** The users that changes name. Throws INVALID_ARGUMENT for too many. */
export function usersOfChanges(changes: readonly NotificationChange[]): string[] {
  const users = new Set(
    changes.flatMap(({ members, notifyUsers, readByUserIds }) => [
      ...(members.actionUser === undefined ? [] : [members.actionUser.userId]),
      ...peopleIn(members).userIds,
      ...(notifyUsers ?? []).map(({ userId }) => userId),
      ...readByUserIds,
    ]),
  );
  refuseManyUsers(users.size, 'notifications');
  return [...users];
}

/** Whether a change does more than set read marks. */
const rewrites = ({ members, notifyUsers }: NotificationChange): boolean =>
  notifyUsers !== undefined || Object.values(members).some((member) => member !== undefined);

/** Locks in the order of time, like deletions. */
async function lockExisting(
  em: EntityManager,
  tenantId: string,
  scope: NotificationUpdateScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LockedNotification>> {
  const { organization, document = null, location = null, user = null } = scope;
  const found = await tablesOf(em)
    .selectFrom('notification as n')
    .innerJoin('document as d', 'd.id', 'n.document_id')
    .select(['n.id', 'n.ext_id', 'n.ts', 'n.document_id', 'd.ext_id as document_ext_id', 'n.actor_id'])
    .select(['n.revision', 'n.audience', 'n.recipient_count'])
    .select(sql<number>`octet_length(n.body::text)`.as('bytes'))
    .where('n.org_id', '=', organization)
    .where('n.ext_id', '=', anyOf(ids))
    .where('n.api_key_id', '=', tenantId)
    .where('d.deleted_at', 'is', null)
    .where(isVisible)
    .where(sql<boolean>`not ${isNotificationLeftToJob(organization, sql`false`)}`)
    .where(sql<boolean>`not ${isOfDeletedSubject}`)
    .where(
      sql<boolean>`(${document}::bigint is null or n.document_id = ${document})
        and (${location}::text is null or n.location_id = ${location})
        and (${user}::bigint is null or exists (
          select from notification_recipient r where r.audience_id = n.audience and r.user_id = ${user}))`,
    )
    .orderBy('n.ts')
    .orderBy('n.id')
    .forUpdate('n')
    .$narrowType<{ document_ext_id: string }>()
    .execute();
  return new Map(found.map((row) => [row.ext_id, row]));
}

/** Reads the bodies of locked notifications. */
async function readBodies(
  em: EntityManager,
  tenantId: string,
  locked: readonly LockedNotification[],
): Promise<ReadonlyMap<string, ExistingNotification>> {
  const rows = await tablesOf(em)
    .selectFrom('notification')
    .select(['id', 'body'])
    .where('id', '=', anyOfIds(locked.map(({ id }) => id)))
    .where('api_key_id', '=', tenantId)
    .execute();
  const bodies = new Map(rows.map(({ id, body }) => [id, body]));
  return new Map(
    locked.flatMap((row) => {
      const body = bodies.get(row.id);
      return body === undefined ? [] : [[row.ext_id, { ...row, body }] as const];
    }),
  );
}

function updateOf(
  change: NotificationChange,
  existing: ReadonlyMap<string, ExistingNotification>,
): ChangedNotification {
  const before = required(existing.get(change.id), 'body of a locked notification');
  return { change, before, after: mergedBody(before.body, change.members) };
}
