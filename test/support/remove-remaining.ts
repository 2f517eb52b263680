import { removeRemainingThreads, type RemainingThreads } from '../../domain/comments/removal-job.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';

/** Runs the steps of a job that removes annotations, to its end. Returns the number of rows that each removed. */
export async function removeRemaining(
  orm: Orm,
  tenantId: string,
  remaining: RemainingThreads,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let next: RemainingThreads | undefined = remaining; next !== undefined;) {
    const now: RemainingThreads = next;
    const { count, left } = await inTransaction(orm, async (em) => removeRemainingThreads(em, tenantId, now));
    counts.push(count);
    next = left;
  }
  return counts;
}
