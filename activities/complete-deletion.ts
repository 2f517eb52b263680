import { completeDeletion as complete, completeDryRun } from '../domain/deletion/end-deletion.ts';
import { findDeletion } from '../domain/deletion/active-deletion.ts';
import type { JobInput, ScanResult } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportingEach } from './report-progress.ts';

/**
 * Completes a verified deletion, or a dry run that has counted everything. When a row still refers to a user, raises an
 * alert and continues the deletion. Also continues one that an earlier release verified.
 * May be repeated: it acts only on a deletion that has not ended. The journal may then contain it twice, which counts
 * once.
 */
export const completeDeletion =
  ({ orm, keyRing, publicUrl, journal, logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<ScanResult> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return 'ended';
    if (deletion.dryRun) {
      await completeDryRun(orm, deletion);
      return 'ended';
    }
    const end = await reportingEach(complete(orm, { keyRing, issuer: publicUrl, journal }, deletion));
    if (end === 'ended') return 'ended';
    if (end === 'unverified') return 'found';
    logger.error({ alert: 'user-data-deletion-not-verified', jobId }, 'user data deletion not verified');
    return 'found';
  };
