import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { maxBigint } from '../bigint-range.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lastKey } from '../last-key.ts';
import {
  deleteRecipients,
  deleteNextRecipients,
  removeNotifications,
  removeFromRecipient,
  type Removable,
} from './remove-notifications.ts';

/**
 * Conditions joined by AND. `document` and `user` are surrogate keys. With `user`, only that recipient loses the
 * notifications.
 */
export interface NotificationSelection {
  readonly document?: string | null | undefined;
  readonly location?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly notificationIds?: readonly string[] | null | undefined;
}

export interface NotificationDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Deletes what exceeds one call. */
  readonly job: CreatedJob | undefined;
}

/** An organization by surrogate key and customer's id. */
interface Organization {
  readonly organization: string;
  readonly organizationId: string;
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

const MatchingRow = z.strictObject({
  id: z.string(),
  audience: z.string(),
  ext_id: z.string(),
  recipient_count: z.number(),
});

interface Bounds {
  readonly limit: number;
  /** The last surrogate key examined. */
  readonly upTo?: string;
}

/** Locks in the order of time, so that concurrent deletions do not deadlock. */
async function lockMatching(
  em: EntityManager,
  tenantId: string,
  organization: string,
  selection: NotificationSelection,
  bounds: Bounds,
): Promise<z.infer<typeof MatchingRow>[]> {
  return rowsOf(em, MatchingRow, matching(tenantId, organization, selection, bounds));
}

/** Repeats the conditions on the scanned table without the `null` alternative, so that a generic plan uses the index. */
function matching(
  tenantId: string,
  organization: string,
  { document = null, location = null, user = null, notificationIds = null }: NotificationSelection,
  { limit, upTo = maxBigint }: Bounds,
): RawBuilder<unknown> {
  const columns = sql`n.id, n.audience, n.ext_id, n.recipient_count`;
  const all = sql`n.org_id = ${organization} and n.api_key_id = ${tenantId} and n.id <= ${upTo}
    and (${document}::bigint is null or n.document_id = ${document}) and (${location}::text is null or n.location_id = ${location})
    and (${notificationIds}::text[] is null or n.ext_id = any(${notificationIds}))
    and exists (select from document d where d.id = n.document_id and d.deleted_at is null and ${isVisible})`;
  if (user !== null && notificationIds === null) {
    // `+ 0`: with a location, its index is read, not that of the document.
    const at =
      location !== null
        ? sql`and r.location_id = ${location}::text and (${document}::bigint is null or r.document_id + 0 = ${document})`
        : document !== null
          ? sql`and r.document_id = ${document}::bigint`
          : sql``;
    return sql`select ${columns} from notification_recipient r join notification n on n.audience = r.audience_id
      where r.user_id = ${user}::bigint and r.org_id = ${organization} ${at} and ${all}
      order by r.ts, r.audience_id limit ${limit} for update of n`;
  }
  const own =
    user === null
      ? sql``
      : sql`and exists (select from notification_recipient r where r.audience_id = n.audience and r.user_id = ${user}::bigint)`;
  const at =
    notificationIds !== null
      ? sql`n.ext_id = any(${notificationIds}::text[])`
      : location === null
        ? sql`n.document_id = ${document}::bigint`
        : sql`n.document_id = ${document}::bigint and n.location_id = ${location}::text`;
  return sql`select ${columns} from notification n where ${at} and ${all} ${own} order by n.ts, n.id limit ${limit} for update`;
}

/** The notifications that a job deletes: surrogate keys, and the customer's id of a location. */
export interface RemainingNotifications {
  /** Audiences without a notification. */
  readonly orphans: readonly string[];
  readonly rest: Rest | null;
}

interface Rest {
  readonly organization: string;
  readonly document: string | null;
  readonly location: string | null;
  readonly user: string | null;
  /** The last surrogate key at the call: later notifications stay, also under the id of one to delete (`openRemovals`). */
  readonly upTo: string;
}

async function restOf(
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

export async function createRemainderJob(
  em: EntityManager,
  tenant: Tenant,
  { organization: id, organizationId }: Organization,
  selection: RemainingNotifications,
): Promise<CreatedJob> {
  return createJob(em, tenant, {
    kind: cascadeKind,
    organization: { id, organizationId },
    request: { organizations: [], folders: [], documents: [], records: { of: 'notifications', selection } },
  });
}

/** Notifications deleted per step of a job. */
const batchSize = 500;

/** Deletes one batch in one short transaction. Returns the number of rows; 0 at the end. */
export async function removeRemainingNotifications(
  em: EntityManager,
  tenantId: string,
  { orphans, rest }: RemainingNotifications,
): Promise<number> {
  const recipients = await deleteNextRecipients(em, tenantId, orphans);
  if (recipients > 0 || rest === null) return recipients;
  const { organization, upTo, ...selection } = rest;
  const next = await lockMatching(em, tenantId, organization, selection, { limit: batchSize, upTo });
  if (rest.user !== null) {
    await removeFromRecipient(em, tenantId, rest.user, audiencesOf(next));
    return next.length;
  }
  const removed = await deleteNextRecipients(em, tenantId, audiencesOf(next));
  if (removed > 0) return removed;
  await removeNotifications(em, tenantId, idsOf(next));
  return next.length;
}
