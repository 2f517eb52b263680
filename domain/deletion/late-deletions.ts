import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { recordEvents } from '../events/record-events.ts';
import { deletionKind } from '../jobs/job-kinds.ts';
import { mayBeLate } from '../jobs/job.entity.ts';

export const lateAfterMs = deletionKind.ageLimitSeconds * 1_000;

/** Max deletions marked per call. */
const maxDeletions = 100;

const LateRow = z.strictObject({
  public_id: z.string(),
  api_key_id: z.string(),
  organization_ids: z.array(z.string()).nullable(),
});

/** One deletion, or all that were accepted at least `lateAfterMs` ago. */
export type LateSelection = { readonly jobId: string } | 'overdue';

/**
 * Marks deletions that have not ended 12 hours after they were accepted, once each, and emits `user.data_deletion_late`
 * in the same transaction. Returns the ids of their jobs.
 */
export async function markLate(orm: Orm, selection: LateSelection): Promise<string[]> {
  const selected =
    selection === 'overdue'
      ? sql`j.created_at <= now() - ${lateAfterMs} * interval '1 millisecond'`
      : sql`j.public_id = ${selection.jobId}`;
  return inTransaction(orm, async (em) => {
    const late = await rowsOf(
      em,
      LateRow,
      sql`with late as (
         select j.id from job j join user_data_deletion d on d.job_id = j.id and not d.dry_run
         where ${sql.raw(mayBeLate)} and ${selected}
         order by j.created_at limit ${sql.lit(maxDeletions)} for no key update of j skip locked)
       update job j set late_at = now() from late l, user_data_deletion d where j.id = l.id and d.job_id = j.id
       returning j.public_id, j.api_key_id, d.organization_ids`,
    );
    for (const [tenantId, jobs] of Map.groupBy(late, ({ api_key_id }) => api_key_id)) {
      await recordEvents(
        em,
        tenantId,
        jobs.map(({ public_id, organization_ids }) => ({
          type: 'user.data_deletion_late',
          organization: null,
          document: null,
          channels: organization_ids ?? [],
          payload: { jobId: public_id },
          users: [],
        })),
      );
    }
    return late.map(({ public_id }) => public_id);
  });
}
