import { z } from 'zod';
import type { DeletedKey } from '../../../domain/key-deletion/delete-key.ts';
import type { KeyDeletionDetails } from '../../../domain/key-deletion/read-key-deletion.ts';
import { jobStatusName } from '../../../domain/jobs/job.entity.ts';
import type { Work } from '../../http/endpoint.ts';
import { jobStatus, milliseconds, text } from '../../schemas.ts';

export const confirmName = text(1_000).meta({
  description: 'Name of the API key, to confirm the deletion of this key.',
});

export const acceptedKeyDeletion = z
  .strictObject({
    keyId: z.string().describe('Public id of the API key, `akid_…`.'),
    jobId: z.string().describe('Id of the job of the deletion.'),
  })
  .meta({ id: 'AcceptedKeyDeletion' });

/** The status of a key deletion. */
export const keyDeletionResponse = z
  .strictObject({
    jobId: z.string().describe('Id of the job of the deletion.'),
    keyId: z.string().describe('Public id of the API key, `akid_…`.'),
    status: jobStatus.describe(
      '`pending` until a worker starts it, `in_progress`, then `completed`, or `failed`.',
    ),
    removedRows: z.int().describe('Number of rows deleted so far.'),
    requestedAt: milliseconds.describe('When the deletion was requested, in milliseconds since the epoch.'),
    verifiedAt: milliseconds
      .nullable()
      .describe('When the scan found no row of the key, in milliseconds since the epoch. Null until then.'),
    receipt: z
      .string()
      .nullable()
      .meta({ description: 'Signed, once the scan has found no row; see `/.well-known/jwks.json`.' }),
  })
  .meta({ id: 'KeyDeletion' });

/** A job that is no longer kept has completed: only then is it deleted. */
export const keyDeletionView = (found: KeyDeletionDetails): z.input<typeof keyDeletionResponse> => ({
  jobId: found.jobId,
  keyId: found.keyId,
  status: found.status === null ? 'completed' : jobStatusName(found.status),
  removedRows: found.removedRows === null ? (found.progress?.done ?? 0) : Number(found.removedRows),
  requestedAt: found.requestedAt.getTime(),
  verifiedAt: found.verifiedAt?.getTime() ?? null,
  receipt: found.receipt,
});

/** Starts the job after the commit, and wakes the delivery workflows of the key, which then end. */
export function startKeyDeletion(
  { keyId, job, endpoints }: DeletedKey,
  { startJob, wakeEndpoint }: Pick<Work, 'startJob' | 'wakeEndpoint'>,
): z.input<typeof acceptedKeyDeletion> {
  startJob(job);
  for (const endpoint of endpoints) wakeEndpoint(endpoint);
  return { keyId, jobId: job.jobId };
}
