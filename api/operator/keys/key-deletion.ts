import { z } from 'zod';
import type { DeletedKey } from '../../../domain/key-deletion/delete-key.ts';
import type { KeyDeletionDetails } from '../../../domain/key-deletion/read-key-deletion.ts';
import { jobStatuses, jobStatusName } from '../../../domain/jobs/job.entity.ts';
import type { Work } from '../../http/endpoint.ts';
import { milliseconds, text } from '../../schemas.ts';

export const confirmName = text(1_000).meta({
  description: 'The name of the API key, which confirms that this key is meant.',
});

export const acceptedKeyDeletion = z.strictObject({ keyId: z.string(), jobId: z.string() });

/** The status of a key deletion. */
export const keyDeletionResponse = z.strictObject({
  jobId: z.string(),
  keyId: z.string(),
  status: z.enum(jobStatuses),
  removedRows: z.int(),
  requestedAt: milliseconds,
  verifiedAt: milliseconds.nullable(),
  receipt: z
    .string()
    .nullable()
    .meta({ description: 'Signed, once the scan has found no row; see `/.well-known/jwks.json`.' }),
});

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
  { startJob, wakeEndpoint, afterCommit }: Pick<Work, 'startJob' | 'wakeEndpoint' | 'afterCommit'>,
): z.input<typeof acceptedKeyDeletion> {
  afterCommit(() => {
    startJob(job);
    for (const endpoint of endpoints) wakeEndpoint(endpoint);
  });
  return { keyId, jobId: job.jobId };
}
