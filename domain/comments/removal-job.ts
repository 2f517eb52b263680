import type { EntityManager } from '../../platform/database/orm.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { createRemovalJob } from '../jobs/create-removal-job.ts';
import { leadingWithin } from '../leading-within.ts';
import { deleteNextRecipients } from '../notifications/remove-notifications.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  removeDependentsAndNotifications,
  removeNextNotifications,
  type NotificationSubjects,
} from './remove-thread-notifications.ts';
import { deleteThreads, removeReadMarks } from './remove-threads.ts';
import { justBefore, lockSelected, type ThreadSelection } from './select-threads.ts';
import type { ThreadPosition } from './thread-page.ts';

/** The rows that a call leaves to a job. */
export interface RemainingThreads {
  /** Surrogate keys of deleted threads, max 1,000, with remaining comments, reactions or notifications. */
  readonly orphaned: readonly string[];
  /** Deleted comments, max 1,000, with remaining notifications. */
  readonly notifications: NotificationSubjects | null;
  /** Audiences of deleted notifications with remaining recipients. */
  readonly audiences: readonly string[];
  /** The threads that the call has not deleted. Their ids are free (`removeLeftToJobs`). */
  readonly rest: RemainingSelection | null;
}

/**
 * A selection whose threads up to `after`, by last update, are all removed. A last update never decreases, so one scan
 * of the document finds all that were committed when it began. One that is added concurrently with an earlier last
 * update may stay. Null, and absent in jobs of earlier releases: from the start.
 */
export type RemainingSelection = ThreadSelection & { readonly after?: ThreadPosition | null };

/** The number of rows that a step removed, and what is left after it; undefined at the end. */
export interface RemovedThreads {
  readonly count: number;
  readonly left: RemainingThreads | undefined;
}

/** Creates the job; undefined when nothing remains. */
export async function createThreadRemovalJob(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  remaining: RemainingThreads,
): Promise<CreatedJob | undefined> {
  const { orphaned, notifications, audiences, rest } = remaining;
  if (orphaned.length + audiences.length === 0 && notifications === null && rest === null) return undefined;
  return createRemovalJob(em, tenant, organization, { of: 'threads', selection: remaining });
}

/** Max rows of each table that one step removes, and max threads that it locks and examines. */
const step = { rows: 5_000, max: 500, maxExamined: 20_000 } as const;

/** Removes the next batch in one short transaction, each thread with all of its rows. */
export async function removeRemainingThreads(
  em: EntityManager,
  tenantId: string,
  remaining: RemainingThreads,
): Promise<RemovedThreads> {
  const { orphaned, notifications, audiences, rest } = remaining;
  const recipients = await deleteNextRecipients(em, tenantId, audiences);
  if (recipients > 0) return { count: recipients, left: remaining };
  const ofComments = notifications ?? { threads: [], comments: null };
  const notified = await removeNextNotifications(em, tenantId, ofComments);
  if (notified.rows > 0) return { count: notified.rows, left: remaining };
  const { rows } = await removeDependentsAndNotifications(em, tenantId, orphaned, step.rows);
  if (rows > 0) return { count: rows, left: remaining };
  if (rest === null) return { count: 0, left: undefined };
  const { count, after } = await removeNextThreads(em, tenantId, rest);
  return { count, left: after && { ...remaining, rest: { ...rest, after } } };
}

/** Removes the next threads of a selection. `after`: the position of the next step; undefined at the end. */
async function removeNextThreads(
  em: EntityManager,
  tenantId: string,
  selection: RemainingSelection,
): Promise<{ readonly count: number; readonly after: ThreadPosition | undefined }> {
  const { after = null } = selection;
  const found = await lockSelected(em, tenantId, selection, { ...step, after });
  const next = leadingWithin(
    found.threads,
    step.rows,
    (thread) => thread.comment_count + thread.reaction_count,
  );
  const further = found.threads[next.length];
  const following = further === undefined ? (found.rest?.after ?? undefined) : justBefore(further.position);
  const [first] = next;
  if (first === undefined) return { count: 0, after: following };
  const threads = next.map(({ id }) => id);
  const again = justBefore(first.position);
  // Notifications and read marks belong to many users, so they may be many more than the comments. They go first.
  const ofThreads = await removeNextNotifications(em, tenantId, { threads, comments: null });
  if (ofThreads.more) return { count: ofThreads.rows, after: again };
  const marks = await removeReadMarks(em, threads, step.rows);
  if (marks === step.rows) return { count: marks, after: again };
  await deleteThreads(em, threads);
  let count = next.length;
  for (let more = true; more;) {
    const batch = await removeDependentsAndNotifications(em, tenantId, threads, step.rows);
    count += batch.rows;
    ({ more } = batch);
  }
  return { count, after: following };
}
