import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  createNotificationRemovalJob,
  restOf,
  type Organization,
  type RemainingNotifications,
} from './remaining-notifications.ts';
import {
  deleteWithinCall,
  removeFromRecipient,
  type DeletedWithinCall,
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
  const { deleted, kept, audiences } = await removeFrom(
    em,
    tenant.id,
    selection,
    matching.slice(0, maxDeleted),
  );
  const ids = selection.notificationIds ?? null;
  // A job deletes those named by the request, which are reported as deleted, by their surrogate keys.
  const left = ids === null ? [] : kept;
  const more = ids === null && (matching.length > maxDeleted || kept.length > 0);
  const known = new Set([...deleted, ...left].map(({ ext_id }) => ext_id));
  const requested = ids ?? [...known];
  const remaining: RemainingNotifications = {
    orphans: audiences,
    ids: left.map(({ id }) => id),
    rest: more ? await restOf(em, organization.organization, selection) : null,
  };
  return {
    outcomes: new Map(requested.map((id) => [id, known.has(id) ? done('Notification deleted.') : missing])),
    deletedCount: deleted.length,
    job: await createNotificationRemovalJob(em, tenant, organization, remaining),
  };
}

const missing = failed('not-found', 'Failed to delete notification.');

async function removeFrom<Row extends Removable>(
  em: EntityManager,
  tenantId: string,
  { user = null }: NotificationSelection,
  locked: readonly Row[],
): Promise<DeletedWithinCall<Row>> {
  if (user === null) return deleteWithinCall(em, tenantId, locked);
  await removeFromRecipient(
    em,
    tenantId,
    user,
    locked.map(({ audience }) => audience),
  );
  return { deleted: locked, kept: [], audiences: [] };
}
