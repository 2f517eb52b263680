import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { openRemovals } from '../jobs/open-removals.ts';
import type { NotificationLocation } from '../notifications/decide-recipients.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { removeThreads } from './delete-annotations.ts';
import { createRemovalJob } from './removal-job.ts';
import { lockSelected, type ThreadSelection } from './select-threads.ts';

/** Annotations that jobs were still to delete, and that are deleted now. */
export interface RemovedAnnotations {
  readonly annotationIds: ReadonlySet<string>;
  /** Deletes their comments, reactions and notifications beyond the limits of a call; undefined when none remain. */
  readonly job: CreatedJob | undefined;
}

const RemovalRow = z.strictObject({ rest: z.custom<ThreadSelection>() });

/**
 * Deletes those of at most 1,000 annotations that jobs are still to delete: the deletion has been answered, so their ids are
 * free. Takes a statement per open job that may delete one of them.
 */
export async function removeLeftToJobs(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  annotationIds: readonly string[],
): Promise<RemovedAnnotations> {
  const { organization, organizationId, document } = location;
  const removed = new Set<string>();
  if (annotationIds.length === 0) return { annotationIds: removed, job: undefined };
  const removals = await rowsOf(
    em,
    RemovalRow,
    sql`select o.selection -> 'rest' as rest from (${openRemovals('threads', sql`array[${organization}::bigint]`)}) o
      where o.selection -> 'rest' ->> 'document' = ${document}::text
        and (json_typeof(o.selection -> 'rest' -> 'annotationIds') = 'null' or exists (
          select from json_array_elements_text(
            case when json_typeof(o.selection -> 'rest' -> 'annotationIds') = 'array' then o.selection -> 'rest' -> 'annotationIds' end) i
          where i = any(${annotationIds}::text[])))`,
  );
  const threads: string[] = [];
  for (const { rest } of removals) {
    const named = rest.annotationIds === null ? undefined : new Set(rest.annotationIds);
    const covered = annotationIds.filter((id) => !removed.has(id) && named?.has(id) !== false);
    const selection = { ...rest, annotationIds: covered };
    const locked = await lockSelected(em, tenant.id, selection, annotationIds.length);
    for (const { id, ext_id } of locked.threads) {
      threads.push(id);
      removed.add(ext_id);
    }
  }
  if (threads.length === 0) return { annotationIds: removed, job: undefined };
  const left = await removeThreads(em, tenant, threads);
  const remaining = { ...left, notifications: null, rest: null };
  const job = await createRemovalJob(em, tenant, { id: organization, organizationId }, remaining);
  return { annotationIds: removed, job };
}
