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
import { deleteThreads } from './remove-threads.ts';
import { lockSelected, type SelectedThread, type ThreadSelection } from './select-threads.ts';

/** What a call has left to a job. */
export interface RemainingThreads {
  /** Surrogate keys of deleted threads, max 1,000, whose comments, reactions and notifications are left. */
  readonly orphaned: readonly string[];
  /** Deleted comments, max 1,000, whose notifications are left. */
  readonly notifications: NotificationSubjects | null;
  /** Audiences of deleted notifications that have recipients left. */
  readonly audiences: readonly string[];
  /** Threads that the call has not deleted. */
  readonly rest: ThreadSelection | null;
}

/**
 * Creates the job; undefined when nothing is left. A release that does not know the selection fails and retries, until this
 * one works on the job: the lists of a cascade are absent.
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

/** Rows of each table that one step removes, and threads that it looks at. */
const step = { rows: 5_000, threads: 500 } as const;

/** Removes the next batch in one short transaction, each thread with everything below it. Returns the number of rows, 0 at the end. */
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
  await deleteThreads(em, threads);
  let removed = next.length;
  for (let more = next.length > 0; more;) {
    const batch = await removeDependentsAndNotifications(em, tenantId, threads, step.rows);
    removed += batch.rows;
    ({ more } = batch);
  }
  return removed;
}

/** The leading threads with up to `step.rows` comments and reactions, at least one. */
function leading(threads: readonly SelectedThread[]): readonly SelectedThread[] {
  let rows = 0;
  const end = threads.findIndex(({ comment_count, reaction_count }) => {
    rows += comment_count + reaction_count;
    return rows > step.rows;
  });
  return end === -1 ? threads : threads.slice(0, Math.max(end, 1));
}
