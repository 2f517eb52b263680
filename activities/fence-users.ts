import { fenceUsers as fence } from '../domain/deletion/fence-users.ts';
import { findDeletion } from '../domain/deletion/work-deletion.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/**
 * Refuses writes that name the people of a deletion, and waits for those that are under way; false when it has ended.
 * May be repeated: a fence that stands is left standing, and writers are waited for again.
 */
export const fenceUsers =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return false;
    const fencing = fence(orm, deletion);
    for (let looks = 0; ; looks += 1) {
      const { done, value } = await fencing.next();
      if (done === true) return value;
      reportProgress(looks);
    }
  };
