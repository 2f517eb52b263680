import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { invalidMember } from '../errors.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { keyDeletionKind } from '../jobs/job-kinds.ts';
import { tablesOf } from '../tables.ts';
import type { WaitingEndpoint } from '../webhooks/delivery/find-waiting.ts';
import { maxWoken } from '../webhooks/endpoints/waiting-endpoints.ts';
import { lockKey, type KeyRef } from '../workspaces/lock-key.ts';
import type { ApiKey } from '../workspaces/api-key.entity.ts';

export interface DeletedKey {
  readonly keyId: string;
  readonly job: CreatedJob;
  /** Up to `maxWoken` endpoints whose workflows are woken after the commit, so that they end; others end later. */
  readonly endpoints: readonly WaitingEndpoint[];
}

/**
 * Deletes a key: from the commit on it is rejected and invisible, and a job removes its rows. `confirmName` must be the
 * name of the key. Throws NOT_FOUND and INVALID_ARGUMENT.
 */
export async function deleteKey(
  em: EntityManager,
  ref: KeyRef,
  { confirmName, requestId }: { readonly confirmName: string; readonly requestId: string },
): Promise<DeletedKey> {
  const key = await lockKey(em, ref);
  if (key.name !== confirmName)
    throw invalidMember('confirmName', 'confirmName must be the name of the API key.');
  return deleteLockedKey(em, key, { requestId });
}

/** Deletes a locked key. `replayed`: public id of the job of the same deletion before the database was restored. */
export async function deleteLockedKey(
  em: EntityManager,
  key: ApiKey,
  { requestId, replayed }: { readonly requestId?: string; readonly replayed?: string },
): Promise<DeletedKey> {
  key.remove();
  const { id, publicId: keyId, workspaceId } = key;
  const job = await createJob(
    em,
    { id, keyId, ...(requestId !== undefined && { requestId }) },
    { kind: keyDeletionKind, organization: null, request: {}, replayed },
  );
  await tablesOf(em)
    .insertInto('key_deletion')
    .values({
      job_id: job.id,
      public_id: job.jobId,
      workspace_id: workspaceId,
      key_id: keyId,
      // The quiet time counts from now: the start of the transaction may be earlier by a wait for the key's lock.
      requested_at: sql<Date>`clock_timestamp()`,
    })
    .execute();
  const endpoints = await tablesOf(em)
    .selectFrom('webhook_endpoint')
    .select('public_id')
    .where('api_key_id', '=', id)
    .limit(maxWoken)
    .execute();
  return { keyId, job, endpoints: endpoints.map(({ public_id }) => ({ keyId, endpointId: public_id })) };
}
