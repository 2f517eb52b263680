import type { EntityManager } from '../../platform/database/orm.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { createRemovalJob } from '../jobs/create-removal-job.ts';
import { lastKey } from '../last-key.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  deleteNextDependents,
  deleteNextFormer,
  deleteNextRecipients,
  removeNotifications,
  removeFromRecipient,
  type AudienceOf,
  type FormerRows,
} from './remove-notifications.ts';
import {
  lockById,
  lockMatching,
  type NotificationCursor,
  type NotificationSelection,
} from './select-notifications.ts';

/** The notifications that a job deletes: surrogate keys, and the customer's id of a location. */
export interface RemainingNotifications {
  /** Audiences without a notification. */
  readonly orphans: readonly string[];
  /** Notifications by surrogate key. Absent in jobs of earlier releases. */
  readonly ids?: readonly string[];
  /** Former audiences with named users. Absent in jobs of earlier releases. */
  readonly former?: readonly AudienceOf[];
  readonly rest: Rest | null;
}

const isEmpty = ({ orphans, ids = [], former = [], rest }: RemainingNotifications): boolean =>
  orphans.length + ids.length + former.length === 0 && rest === null;

interface Rest {
  readonly organization: string;
  readonly document: string | null;
  readonly location: string | null;
  readonly user: string | null;
  /** The last surrogate key at the call: later notifications stay, also under the id of one to delete (`openRemovals`). */
  readonly upTo: string;
  /** All notifications up to this position are removed. Null, and absent in jobs of earlier releases: from the start. */
  readonly after?: NotificationCursor | null;
}

export async function restOf(
  em: EntityManager,
  organization: string,
  { document, location, user }: NotificationSelection,
): Promise<Rest> {
  return {
    organization,
    document: document ?? null,
    location: location ?? null,
    user: user ?? null,
    upTo: await lastKey(em, 'notification'),
  };
}

/** The job that deletes rows of former audiences; undefined without them. */
export async function recipientRemovalJob(
  em: EntityManager,
  tenant: Tenant,
  { organization: id, organizationId }: { readonly organization: string; readonly organizationId: string },
  { audiences: orphans, named: former }: FormerRows,
): Promise<CreatedJob | undefined> {
  return createNotificationRemovalJob(em, tenant, { id, organizationId }, { orphans, former, rest: null });
}

/** Creates the job; undefined when nothing remains. */
export async function createNotificationRemovalJob(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  selection: RemainingNotifications,
): Promise<CreatedJob | undefined> {
  if (isEmpty(selection)) return undefined;
  return createRemovalJob(em, tenant, organization, { of: 'notifications', selection });
}

/** Notifications deleted per step of a job. */
const batchSize = 500;

/** The number of rows that a step removed, and what is left after it; undefined at the end. */
export interface RemovedNotifications {
  readonly count: number;
  readonly left: RemainingNotifications | undefined;
}

/** Deletes one batch in one short transaction. */
export async function removeRemainingNotifications(
  em: EntityManager,
  tenantId: string,
  remaining: RemainingNotifications,
): Promise<RemovedNotifications> {
  const { orphans, ids = [], former = [], rest } = remaining;
  const recipients =
    (await deleteNextRecipients(em, tenantId, orphans)) || (await deleteNextFormer(em, tenantId, former));
  if (recipients > 0) return { count: recipients, left: remaining };
  if (ids.length > 0) {
    const left = { orphans: [], ids: ids.slice(batchSize), rest };
    const next = await lockById(em, tenantId, ids.slice(0, batchSize));
    const { rows, isComplete } = await removeBatch(em, tenantId, next);
    if (!isComplete) return { count: rows, left: remaining };
    return { count: rows, left: isEmpty(left) ? undefined : left };
  }
  if (rest === null) return { count: 0, left: undefined };
  const { organization, upTo, after, ...selection } = rest;
  const bounds = { limit: batchSize, after, upTo };
  const next = await lockMatching(em, tenantId, organization, selection, bounds);
  const last = next.at(-1);
  if (last === undefined) return { count: 0, left: undefined };
  const left = { orphans: [], rest: { ...rest, after: last.position } };
  if (rest.user !== null) {
    const audiences = next.map(({ audience }) => audience);
    await removeFromRecipient(em, tenantId, rest.user, audiences);
    return { count: next.length, left };
  }
  const { rows, isComplete } = await removeBatch(em, tenantId, next);
  return { count: rows, left: isComplete ? left : remaining };
}

interface RemovedRows {
  readonly rows: number;
  /** Whether the notifications themselves are deleted: their recipients and named users go first. */
  readonly isComplete: boolean;
}

async function removeBatch(
  em: EntityManager,
  tenantId: string,
  locked: readonly AudienceOf[],
): Promise<RemovedRows> {
  const dependents = await deleteNextDependents(em, tenantId, locked);
  if (dependents > 0) return { rows: dependents, isComplete: false };
  await removeNotifications(
    em,
    tenantId,
    locked.map(({ id }) => id),
  );
  return { rows: locked.length, isComplete: true };
}
