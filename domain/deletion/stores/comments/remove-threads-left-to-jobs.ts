import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { rowsOf } from '../../../../platform/database/statements.ts';
import { isThreadLeftToJob } from '../../../comments/left-to-job.ts';
import {
  removeDependentsAndNotifications,
  removeNextNotifications,
} from '../../../comments/remove-thread-notifications.ts';
import { deleteThreads, removeReadMarks } from '../../../comments/remove-threads.ts';
import { openRemovals } from '../../../jobs/open-removals.ts';
import type { PersonScope } from '../personal-data-store.ts';

/** Max rows of each table that one statement removes. */
const maxDependents = 10_000;

const OrganizationRow = z.strictObject({ org_id: z.string() });
const IdRow = z.strictObject({ id: z.string() });

/** A thread by surrogate key, and its organization. */
interface ThreadOf {
  readonly id: string;
  readonly org_id: string;
}

/**
 * Deletes those of these locked threads that jobs are still to delete: a job selects by creator, so it would miss a thread
 * without one. The deletion that created the job has already reported that thread as deleted. Returns false while notifications
 * or read marks remain: call it again with the same threads.
 */
export async function removeThreadsLeftToJobs(
  em: EntityManager,
  { tenantId }: PersonScope,
  locked: readonly ThreadOf[],
): Promise<boolean> {
  const threads = await leftToJobs(em, locked);
  if (threads.length === 0) return true;
  // Notifications and read marks belong to many users, so they may be many more than the comments. They go first.
  if ((await removeNextNotifications(em, tenantId, { threads, comments: null })).more) return false;
  if ((await removeReadMarks(em, threads, maxDependents)) === maxDependents) return false;
  await deleteThreads(em, threads);
  while ((await removeDependentsAndNotifications(em, tenantId, threads, maxDependents)).more);
  return true;
}

async function leftToJobs(em: EntityManager, locked: readonly ThreadOf[]): Promise<string[]> {
  const byOrganization = Map.groupBy(locked, ({ org_id }) => org_id);
  const organizations = sql`${[...byOrganization.keys()]}::bigint[]`;
  const removing = await rowsOf(
    em,
    OrganizationRow,
    sql`select distinct o.org_id from (${openRemovals('threads', organizations)}) o`,
  );
  const left: string[] = [];
  for (const { org_id } of removing) {
    const ids = byOrganization.get(org_id)?.map(({ id }) => id) ?? [];
    const found = await rowsOf(
      em,
      IdRow,
      sql`select t.id from thread t where t.id = any(${ids}::bigint[]) and ${isThreadLeftToJob(org_id)} order by t.id`,
    );
    left.push(...found.map(({ id }) => id));
  }
  return left;
}
