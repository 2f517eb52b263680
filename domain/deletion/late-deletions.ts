import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import { recordEvents } from '../events/record-events.ts';

/** Milliseconds: half of the time in which a person's data must be gone. */
export const lateAfter = 12 * 3_600_000;

/** Deletions that one call marks. */
const atOnce = 100;

interface LateRow {
  readonly public_id: string;
  readonly api_key_id: string;
  readonly organization_ids: readonly string[] | null;
}

/** One whose workflow has waited long enough, or all that were accepted so long ago. */
export type LateChoice = { readonly jobId: string } | 'overdue';

/**
 * Marks deletions that have not ended 12 hours after they were accepted, once each, and emits `user.data_deletion_late`
 * with the mark. Answers the ids of their jobs.
 */
export async function markLate(orm: Orm, choice: LateChoice): Promise<string[]> {
  const [condition, parameter] =
    choice === 'overdue'
      ? [`j.created_at <= now() - $1 * interval '1 millisecond'`, lateAfter]
      : ['j.public_id = $1', choice.jobId];
  return inTransaction(orm, async (em) => {
    const late = await rows<LateRow>(
      em,
      `with late as (
         select j.id from job j join user_data_deletion d on d.job_id = j.id and not d.dry_run
         where j.kind = 2 and j.status in (0, 1) and j.late_at is null and ${condition}
         order by j.created_at limit ${String(atOnce)} for no key update of j skip locked)
       update job j set late_at = now() from late l, user_data_deletion d where j.id = l.id and d.job_id = j.id
       returning j.public_id, j.api_key_id, d.organization_ids`,
      [parameter],
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
