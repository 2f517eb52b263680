import { verifyDeletion as verify } from '../domain/deletion/verify-deletion.ts';
import { findDeletion } from '../domain/deletion/active-deletion.ts';
import type { JobInput, Verdict } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportingEach } from './report-progress.ts';

/**
 * Scans every store for data of the users. The fence prevents new data, so a finding raises an alert and is deleted.
 * May be repeated: it overwrites its own result.
 */
export const verifyDeletion =
  ({ orm, logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<Verdict> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return 'ended';
    const stores = await reportingEach(verify(orm, deletion));
    if (stores === undefined) return 'ended';
    if (stores.length === 0) return 'clean';
    logger.error(
      { alert: 'user-data-deletion-not-verified', jobId, stores },
      'user data deletion not verified',
    );
    return 'found';
  };
