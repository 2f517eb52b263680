import { done, failed, type Outcomes } from '../batch.ts';
import { visibleDocument } from '../documents/resolve-document.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import {
  clearRecipients,
  removeNextRecipients,
  removeNotifications,
  takeFromRecipient,
  type Removable,
} from './remove-notifications.ts';

/** Which notifications go; all conditions hold. Document and user are surrogate keys. With a user, they go from that recipient only. */
export interface NotificationSelection {
  readonly document?: string | undefined;
  readonly location?: string | undefined;
  readonly user?: string | undefined;
  readonly notificationIds?: readonly string[] | undefined;
}

export interface NotificationDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes what goes beyond one call. */
  readonly job: CreatedJob | undefined;
}

/** Surrogate key and customer's id. */
interface Organization {
  readonly organization: string;
  readonly organizationId: string;
}

/** Notifications that one call deletes by itself; there is an outcome for each of them. */
const mostDeleted = 1_000;

export async function deleteNotifications(
  em: EntityManager,
  tenant: Tenant,
  place: Organization,
  selection: NotificationSelection,
): Promise<NotificationDeletion> {
  const matching = await lockMatching(em, tenant.id, place.organization, selection, {
    limit: mostDeleted + 1,
  });
  const removed = matching.slice(0, mostDeleted);
  const orphans = await removeFrom(em, tenant.id, selection, removed);
  const known = new Set(removed.map(({ ext_id }) => ext_id));
  const asked = selection.notificationIds ?? [...known];
  const rest = matching.length > mostDeleted ? await restOf(em, place.organization, selection) : null;
  return {
    outcomes: new Map(asked.map((id) => [id, known.has(id) ? done('Notification deleted.') : missing])),
    deletedCount: removed.length,
    job:
      rest === null && orphans.length === 0
        ? undefined
        : await createRemainder(em, tenant, place, { orphans, rest }),
  };
}

const missing = failed('not-found', 'Failed to delete notification.');

/** Answers the audiences that are too large for one transaction. */
async function removeFrom(
  em: EntityManager,
  tenantId: string,
  { user }: NotificationSelection,
  locked: readonly Removable[],
): Promise<string[]> {
  if (user !== undefined) {
    await takeFromRecipient(em, tenantId, user, audiencesOf(locked));
    return [];
  }
  await removeNotifications(em, tenantId, idsOf(locked));
  return clearRecipients(em, tenantId, locked);
}

const idsOf = (locked: readonly Removable[]): string[] => locked.map(({ id }) => id);

const audiencesOf = (locked: readonly Removable[]): string[] => locked.map(({ audience }) => audience);

interface Matching extends Removable {
  readonly ext_id: string;
}

/** Always in the order of their time, so that two deletions never wait for each other in a ring. */
async function lockMatching(
  em: EntityManager,
  tenantId: string,
  organization: string,
  selection: NotificationSelection,
  { limit, upTo = newest }: { readonly limit: number; readonly upTo?: string },
): Promise<Matching[]> {
  const { document, location, user, notificationIds } = selection;
  return rows(em, statement(selection), [
    organization,
    document ?? null,
    location ?? null,
    notificationIds ?? null,
    tenantId,
    upTo,
    limit,
    ...(user === undefined ? [] : [user]),
  ]);
}

const newest = '9223372036854775807';

/** Conditions on the walked table are written once more without the `null` alternative, so that a prepared statement finds the index. */
function statement({ document, location, user, notificationIds }: NotificationSelection): string {
  const columns = 'n.id, n.audience, n.ext_id, n.recipient_count';
  const document_ =
    'exists (select from document d where d.id = n.document_id and d.deleted_at is null and ' +
    visibleDocument +
    ')';
  const all = `n.org_id = $1 and n.api_key_id = $5 and n.id <= $6 and ($2::bigint is null or n.document_id = $2)
    and ($3::text is null or n.location_id = $3) and ($4::text[] is null or n.ext_id = any($4)) and ${document_}`;
  if (user !== undefined && notificationIds === undefined) {
    const at =
      document !== undefined
        ? ' and r.document_id = $2::bigint'
        : location !== undefined
          ? ' and r.location_id = $3::text'
          : '';
    return `select ${columns} from notification_recipient r join notification n on n.audience = r.audience_id
      where r.user_id = $8::bigint and r.org_id = $1${at} and ${all} order by r.ts, r.audience_id limit $7 for update of n`;
  }
  const own =
    user === undefined
      ? ''
      : ' and exists (select from notification_recipient r where r.audience_id = n.audience and r.user_id = $8::bigint)';
  const at =
    notificationIds !== undefined
      ? 'n.ext_id = any($4::text[])'
      : location === undefined
        ? 'n.document_id = $2::bigint'
        : 'n.document_id = $2::bigint and n.location_id = $3::text';
  return `select ${columns} from notification n where ${at} and ${all}${own} order by n.ts, n.id limit $7 for update`;
}

/** What a job removes of notifications: surrogate keys, and the customer's id of a location. */
export interface RemainingNotifications {
  /** Audiences that no notification has any more. */
  readonly orphans: readonly string[];
  readonly rest: Rest | null;
}

interface Rest {
  readonly organization: string;
  readonly document: string | null;
  readonly location: string | null;
  readonly user: string | null;
  /** Only what existed at the call: a notification added later is not one that was deleted. */
  readonly upTo: string;
}

async function restOf(
  em: EntityManager,
  organization: string,
  { document, location, user }: NotificationSelection,
): Promise<Rest> {
  const last = await row<{ id: string }>(
    em,
    `select last_value as id from pg_sequences where schemaname = current_schema() and sequencename = 'notification_id_seq'`,
  );
  return {
    organization,
    document: document ?? null,
    location: location ?? null,
    user: user ?? null,
    upTo: last?.id ?? '0',
  };
}

export async function createRemainder(
  em: EntityManager,
  tenant: Tenant,
  { organization: id, organizationId }: Organization,
  selection: RemainingNotifications,
): Promise<CreatedJob> {
  return createJob(em, tenant, {
    kind: 'cascade',
    organization: { id, organizationId },
    request: { organizations: [], folders: [], documents: [], records: { of: 'notifications', selection } },
  });
}

/** Notifications that one step of a job removes. */
const removedAtOnce = 500;

/** Removes the next rows, few enough for one short transaction; answers how many, 0 at the end. */
export async function removeRemainingNotifications(
  em: EntityManager,
  tenantId: string,
  { orphans, rest }: RemainingNotifications,
): Promise<number> {
  const recipients = await removeNextRecipients(em, tenantId, orphans);
  if (recipients > 0 || rest === null) return recipients;
  const selection = {
    document: rest.document ?? undefined,
    location: rest.location ?? undefined,
    user: rest.user ?? undefined,
  };
  const next = await lockMatching(em, tenantId, rest.organization, selection, {
    limit: removedAtOnce,
    upTo: rest.upTo,
  });
  if (rest.user !== null) {
    await takeFromRecipient(em, tenantId, rest.user, audiencesOf(next));
    return next.length;
  }
  const removed = await removeNextRecipients(em, tenantId, audiencesOf(next));
  if (removed > 0) return removed;
  await removeNotifications(em, tenantId, idsOf(next));
  return next.length;
}
