import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../platform/database/statements.ts';
import { aborted } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { NotificationLocation } from '../notifications/decide-recipients.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { removeThreads } from './delete-annotations.ts';
import { isThreadLeftToJob } from './left-to-job.ts';
import { createThreadRemovalJob } from './removal-job.ts';

/** Annotations that jobs were still to delete, and that are deleted now. */
export interface RemovedAnnotations {
  readonly annotationIds: ReadonlySet<string>;
  /** Deletes their comments, reactions and notifications beyond the limits of a call; undefined when none remain. */
  readonly job: CreatedJob | undefined;
}

const LeftRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/**
 * Deletes those of at most 1,000 annotations that jobs are still to delete: the deletion has returned, so their ids are free.
 */
export async function removeLeftToJobs(
  em: EntityManager,
  tenant: Tenant,
  { organization, organizationId, document }: NotificationLocation,
  annotationIds: readonly string[],
): Promise<RemovedAnnotations> {
  const left =
    annotationIds.length === 0
      ? []
      : await rowsOf(
          em,
          LeftRow,
          sql`select t.id, t.ext_id from thread t
            where t.org_id = ${organization} and t.ext_id = any(${annotationIds}::text[]) and t.document_id = ${document}
              and t.api_key_id + 0 = ${tenant.id} and ${isThreadLeftToJob(organization)}
            order by t.id for update`,
        );
  if (left.length === 0) return { annotationIds: new Set(), job: undefined };
  const threads = left.map(({ id }) => id);
  const remaining = { ...(await removeThreads(em, tenant, threads)), notifications: null, rest: null };
  const job = await createThreadRemovalJob(em, tenant, { id: organization, organizationId }, remaining);
  return { annotationIds: new Set(left.map(({ ext_id }) => ext_id)), job };
}

/**
 * Throws ABORTED when an update made threads match the selection of a deletion that returned before the update: the job
 * would delete them. Surrogate keys.
 */
export async function refuseLeftToJobs(
  em: EntityManager,
  organization: string,
  threads: readonly string[],
): Promise<void> {
  const left = await rowOf(
    em,
    LeftRow.pick({ id: true }),
    sql`select t.id from thread t where t.id = any(${threads}::bigint[]) and ${isThreadLeftToJob(organization)} limit 1`,
  );
  if (left !== undefined) throw aborted();
}
