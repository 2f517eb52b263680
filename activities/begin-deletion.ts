import { findDeletion } from '../domain/deletion/work-deletion.ts';
import { lateAfter } from '../domain/deletion/late-deletions.ts';
import type { BegunDeletion, JobInput } from '../workflows/contract.ts';
import { takeInHand } from './begin-job.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Takes a deletion in hand; null when there is nothing to do.
 * May be repeated: only a pending job changes, and one that was taken before is answered alike.
 */
export const beginDeletion =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<BegunDeletion | null> => {
    if (!(await takeInHand(orm, jobId))) return null;
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return null;
    const { keyId, dryRun, createdAt } = deletion;
    return { tenant: keyId, dryRun, lateInMs: Math.max(1, createdAt.getTime() + lateAfter - Date.now()) };
  };
