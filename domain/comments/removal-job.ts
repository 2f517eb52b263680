import type { EntityManager } from '../../platform/database/orm.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import { deleteNextRecipients } from '../notifications/remove-notifications.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  removeDependentsAndNotifications,
  removeNextNotifications,
  type NotificationSubjects,
} from './remove-thread-notifications.ts';
import { deleteThreads, removeReadMarks } from './remove-threads.ts';
import { lockSelected, type SelectedThread, type ThreadSelection } from './select-threads.ts';

/** The rows that a call leaves to a job. */
export interface RemainingThreads {
  /** Surrogate keys of deleted threads, max 1,000, with remaining comments, reactions or notifications. */
  readonly orphaned: readonly string[];
  /** Deleted comments, max 1,000, with remaining notifications. */
  readonly notifications: NotificationSubjects | null;
  /** Audiences of deleted notifications with remaining recipients. */
  readonly audiences: readonly string[];
  /** The threads that the call has not deleted. Their ids are free (`removeLeftToJobs`). */
  readonly rest: ThreadSelection | null;
}

/**
 * Creates the job; undefined when nothing remains. A release before this selection fails on the job, because the job
 * has no lists of a cascade. It retries the job until a worker of this release runs it.
 */
export async function createRemovalJob(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  remaining: RemainingThreads,
): Promise<CreatedJob | undefined> {
  const { orphaned, notifications, audiences, rest } = remaining;
  if (orphaned.length + audiences.length === 0 && notifications === null && rest === null) return undefined;
  const request = { records: { of: 'threads', selection: remaining } };
  return createJob(em, tenant, { kind: cascadeKind, organization, request });
}

/** Max rows of each table that one step removes, and max threads that it locks. */
const step = { rows: 5_000, threads: 500 } as const;

/**
 * Removes the next batch in one short transaction, each thread with all of its rows. Returns the number of rows, 0 at
 * the end.
 */
export async function removeRemainingThreads(
  em: EntityManager,
  tenantId: string,
  { orphaned, notifications, audiences, rest }: RemainingThreads,
): Promise<number> {
  const recipients = await deleteNextRecipients(em, tenantId, audiences);
  if (recipients > 0) return recipients;
  const ofComments = notifications ?? { threads: [], comments: null };
  const notified = await removeNextNotifications(em, tenantId, ofComments);
  if (notified.rows > 0) return notified.rows;
  const { rows } = await removeDependentsAndNotifications(em, tenantId, orphaned, step.rows);
  if (rows > 0 || rest === null) return rows;
  const next = leading((await lockSelected(em, tenantId, rest, step.threads)).threads);
  const threads = next.map(({ id }) => id);
  // Notifications and read marks belong to many users, so they may be many more than the comments. They go first.
  const ofThreads = await removeNextNotifications(em, tenantId, { threads, comments: null });
  if (ofThreads.more) return ofThreads.rows;
  const marks = await removeReadMarks(em, threads, step.rows);
  if (marks === step.rows) return marks;
  await deleteThreads(em, threads);
  let removed = next.length;
  for (let more = next.length > 0; more;) {
    const batch = await removeDependentsAndNotifications(em, tenantId, threads, step.rows);
    removed += batch.rows;
    ({ more } = batch);
  }
  return removed;
}

/** The first threads with up to `step.rows` comments and reactions together; at least one. */
function leading(threads: readonly SelectedThread[]): readonly SelectedThread[] {
  let rows = 0;
  const end = threads.findIndex(({ comment_count, reaction_count }) => {
    rows += comment_count + reaction_count;
    return rows > step.rows;
  });
  return end === -1 ? threads : threads.slice(0, Math.max(end, 1));
}
