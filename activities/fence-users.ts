import { fenceUsers as fence } from '../domain/deletion/fence-users.ts';
import { findDeletion } from '../domain/deletion/active-deletion.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportingEach } from './report-progress.ts';

/**
 * Rejects writes that name the users of a deletion, and waits for the writes under way. Returns false when the deletion
 * has ended.
 * May be repeated: an existing fence stays, and the wait for writers starts over.
 */
export const fenceUsers =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return false;
    return reportingEach(fence(orm, deletion));
  };
