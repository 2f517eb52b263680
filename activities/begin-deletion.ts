import { findDeletion } from '../domain/deletion/active-deletion.ts';
import { lateAfterMs } from '../domain/deletion/late-deletions.ts';
import type { BegunDeletion, JobInput } from '../workflows/contract.ts';
import { startJob } from './begin-job.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Starts a deletion. Returns null when the job or the deletion has ended.
 * May be repeated: only a pending job changes; a job in progress returns the same result.
 */
export const beginDeletion =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<BegunDeletion | null> => {
    if (!(await startJob(orm, jobId))) return null;
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return null;
    const { keyId, dryRun, counts, createdAt } = deletion;
    const lateInMs = Math.max(1, createdAt.getTime() + lateAfterMs - Date.now());
    return { tenant: keyId, dryRun, lateInMs, counts };
  };
