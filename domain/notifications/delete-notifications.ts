import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import { lockSelectedLocation } from '../documents/lock-selected-location.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { findUser } from '../users/find-user.ts';
import {
  createNotificationRemovalJob,
  restOf,
  type RemainingNotifications,
} from './remove-remaining-notifications.ts';
import {
  deleteWithinCall,
  removeFromRecipient,
  type DeletedWithinCall,
  type Removable,
} from './remove-notifications.ts';
import { lockMatching, type NotificationSelection } from './select-notifications.ts';

/** The notifications to delete, by the customer's ids; at least one condition beside the organization is given. */
export interface NotificationDeletionRequest {
  readonly organizationId: string;
  readonly documentId?: string | undefined;
  readonly locationId?: string | undefined;
  readonly userId?: string | undefined;
  readonly notificationIds?: readonly string[] | undefined;
}

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
  { locationId: location, userId, notificationIds, ...request }: NotificationDeletionRequest,
): Promise<NotificationDeletion> {
  const { organization, document } = await lockSelectedLocation(em, tenant, request);
  const user = userId === undefined ? undefined : await findUser(em, tenant, userId);
  if (userId !== undefined && user === undefined) {
    // An unknown user has no notifications.
    const outcomes = new Map((notificationIds ?? []).map((id) => [id, missing]));
    return { outcomes, deletedCount: 0, job: undefined };
  }
  const selection: NotificationSelection = {
    document: document?.id,
    location,
    user: user?.id,
    notificationIds,
  };
  const matching = await lockMatching(em, tenant.id, organization.id, selection, { limit: maxDeleted + 1 });
  const { deleted, kept, audiences } = await removeFrom(
    em,
    tenant.id,
    selection,
    matching.slice(0, maxDeleted),
  );
  const ids = notificationIds ?? null;
  // A job deletes those named by the request, which are reported as deleted, by their surrogate keys.
  const left = ids === null ? [] : kept;
  const more = ids === null && (matching.length > maxDeleted || kept.length > 0);
  const known = new Set([...deleted, ...left].map(({ ext_id }) => ext_id));
  const requested = ids ?? [...known];
  const remaining: RemainingNotifications = {
    orphans: audiences,
    ids: left.map(({ id }) => id),
    rest: more ? await restOf(em, organization.id, selection) : null,
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
