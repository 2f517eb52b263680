import { activityInfo } from '@temporalio/activity';
import { VerificationPosition, verifyDeletion as verify } from '../domain/deletion/verify-deletion.ts';
import { findDeletion } from '../domain/deletion/active-deletion.ts';
import type { JobInput, ScanResult } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportingEach } from './report-progress.ts';

/**
 * Scans every store for data of the users. The fence prevents new data, so a finding raises an alert and is deleted.
 * May be repeated: it overwrites its own result. It continues where the previous attempt stopped, and starts over after an
 * attempt of release 0.2.0.
 */
export const verifyDeletion =
  ({ orm, logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<ScanResult> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return 'ended';
    const from = VerificationPosition.safeParse(activityInfo().heartbeatDetails).data;
    const stores = await reportingEach(verify(orm, deletion, from));
    if (stores === undefined) return 'ended';
    if (stores.length === 0) return 'clean';
    logger.error(
      { alert: 'user-data-deletion-not-verified', jobId, stores },
      'user data deletion not verified',
    );
    return 'found';
  };
