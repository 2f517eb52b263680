import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { invalidMember } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { lockUsers, type LockedUsers } from '../users/lock-users.ts';
import { mergedPeople } from '../users/named-users.ts';
import {
  fits,
  merged,
  rewritten,
  withinRelocationLimit,
  type Existing,
  type NotificationChange,
  type Update,
} from './change-notification.ts';
import { surrogate } from './decide-recipients.ts';
import { createRemainderJob } from './delete-notifications.ts';
import { mentionedIn, peopleIn, withRecipients } from './notification.ts';
import { replaceRecipients, type UpdateScope } from './replace-recipients.ts';
import { markRead, rewriteNotifications } from './rewrite-notifications.ts';

export interface NotificationUpdate {
  readonly outcomes: Outcomes;
  /** Deletes the remaining former recipients. */
  readonly job: CreatedJob | undefined;
}

/** Max distinct users named by one call. */
const maxUsers = 1_000;

export async function updateNotifications(
  em: EntityManager,
  tenant: Tenant,
  scope: UpdateScope,
  changes: readonly NotificationChange[],
): Promise<NotificationUpdate> {
  const users = await lockUsers(em, tenant, usersOf(changes));
  const sent = mergedPeople(changes.map(({ members }) => peopleIn(members)));
  const recipients = changes.flatMap(({ notifyUsers = [] }) => notifyUsers);
  await admitPeople(em, tenant, users, withRecipients(sent, recipients), [scope.organization]);
  const ids = changes.map(({ id }) => id);
  const existing = await lockExisting(em, tenant.id, scope, ids);
  const updates = changes.flatMap((change) => {
    const before = existing.get(change.id);
    return before === undefined ? [] : [{ change, before, after: merged(before.body, change.members) }];
  });
  const bound = withinRelocationLimit(updates.filter(fits));
  const known = await knownUsers(em, tenant.id, users, bound);
  await rewriteNotifications(
    em,
    tenant.id,
    scope.organization,
    bound.map((update) => rewritten(update, known)),
  );
  const orphans = await replaceRecipients(
    em,
    tenant,
    scope,
    bound.filter(({ change }) => change.notifyUsers !== undefined),
    known,
  );
  await markRead(
    em,
    tenant.id,
    scope.organization,
    bound.flatMap(({ change }) =>
      change.readByUserIds.map((userId) => ({ notificationId: change.id, user: surrogate(users, userId) })),
    ),
  );
  const refusals = new Map(
    updates.map(
      (update) => [update.change.id, fits(update) ? 'failed-precondition' : 'invalid-argument'] as const,
    ),
  );
  const changed = new Set(bound.map(({ change }) => change.id));
  const outcome = (id: string): Outcome => {
    if (changed.has(id)) return done('Notification updated.');
    return failed(refusals.get(id) ?? 'not-found', 'Failed to update notification.');
  };
  return {
    outcomes: new Map(ids.map((id) => [id, outcome(id)])),
    job:
      orphans.length === 0 ? undefined : await createRemainderJob(em, tenant, scope, { orphans, rest: null }),
  };
}

function usersOf(changes: readonly NotificationChange[]): string[] {
  const users = new Set(
    changes.flatMap(({ members, notifyUsers, readByUserIds }) => [
      ...(members.actionUser === undefined ? [] : [members.actionUser.userId]),
      ...peopleIn(members).userIds,
      ...(notifyUsers ?? []).map(({ userId }) => userId),
      ...readByUserIds,
    ]),
  );
  if (users.size > maxUsers) {
    const text = `notifications must name at most ${String(maxUsers)} different users, not ${String(users.size)}.`;
    throw invalidMember('notifications', text);
  }
  return [...users];
}

/** Locks in the order of time, like deletions. */
async function lockExisting(
  em: EntityManager,
  tenantId: string,
  scope: UpdateScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Existing>> {
  const { organization, document = null, location = null, user = null } = scope;
  const found = await tablesOf(em)
    .selectFrom('notification as n')
    .innerJoin('document as d', 'd.id', 'n.document_id')
    .select(['n.id', 'n.ext_id', 'n.ts', 'n.document_id', 'd.ext_id as document_ext_id', 'n.actor_id'])
    .select(['n.revision', 'n.audience', 'n.recipient_count', 'n.body'])
    .where('n.org_id', '=', organization)
    .where('n.ext_id', '=', anyOf(ids))
    .where('n.api_key_id', '=', tenantId)
    .where('d.deleted_at', 'is', null)
    .where(isVisible)
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

/** Adds users that kept members name; they passed the write fence when they were added. */
async function knownUsers(
  em: EntityManager,
  tenantId: string,
  users: LockedUsers,
  updates: readonly Update[],
): Promise<LockedUsers> {
  const named = new Set(updates.flatMap(({ after }) => [...mentionedIn(after)]));
  const others = [...named].filter((userId) => !users.has(userId));
  if (others.length === 0) return users;
  const found = await tablesOf(em)
    .selectFrom('app_user')
    .select(['id', 'ext_id'])
    .where('api_key_id', '=', tenantId)
    .where('ext_id', '=', anyOf(others))
    .$narrowType<{ ext_id: string }>()
    .execute();
  return new Map([...users, ...found.map(({ id, ext_id }) => [ext_id, id] as const)]);
}
