import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createRemainderJob, restOf, type Organization } from './remaining-notifications.ts';
import {
  deleteRecipients,
  removeNotifications,
  removeFromRecipient,
  type Removable,
} from './remove-notifications.ts';
import { lockMatching, type NotificationSelection } from './select-notifications.ts';

export interface NotificationDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Deletes what exceeds one call. */
  readonly job: CreatedJob | undefined;
}

/** Max notifications that the call itself deletes and reports. */
const maxDeleted = 1_000;

export async function deleteNotifications(
  em: EntityManager,
  tenant: Tenant,
  organization: Organization,
  selection: NotificationSelection,
): Promise<NotificationDeletion> {
  const matching = await lockMatching(em, tenant.id, organization.organization, selection, {
    limit: maxDeleted + 1,
  });
  const removed = matching.slice(0, maxDeleted);
  const orphans = await removeFrom(em, tenant.id, selection, removed);
  const known = new Set(removed.map(({ ext_id }) => ext_id));
  const requested = selection.notificationIds ?? [...known];
  const rest = matching.length > maxDeleted ? await restOf(em, organization.organization, selection) : null;
  return {
    outcomes: new Map(requested.map((id) => [id, known.has(id) ? done('Notification deleted.') : missing])),
    deletedCount: removed.length,
    job:
      rest === null && orphans.length === 0
        ? undefined
        : await createRemainderJob(em, tenant, organization, { orphans, rest }),
  };
}

const missing = failed('not-found', 'Failed to delete notification.');

/** Returns the audiences that are too large for one transaction. */
async function removeFrom(
  em: EntityManager,
  tenantId: string,
  { user = null }: NotificationSelection,
  locked: readonly Removable[],
): Promise<string[]> {
  if (user !== null) {
    await removeFromRecipient(em, tenantId, user, audiencesOf(locked));
    return [];
  }
  await removeNotifications(em, tenantId, idsOf(locked));
  return deleteRecipients(em, tenantId, locked);
}

const idsOf = (locked: readonly Removable[]): string[] => locked.map(({ id }) => id);

const audiencesOf = (locked: readonly Removable[]): string[] => locked.map(({ audience }) => audience);
