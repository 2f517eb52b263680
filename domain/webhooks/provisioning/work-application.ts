import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { row, rows } from '../../../platform/database/sql.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { jobStatusNumbers } from '../../jobs/job.entity.ts';
import type { WorkedJob } from '../../jobs/begin-job.ts';
import { completeJob } from '../../jobs/end-job.ts';
import { webhookSecretPlace } from '../../secrets/encrypted-columns.ts';
import type { WebhookProvider } from '../provider.ts';

/** Makes the application that a job asks for. Repeated, it finds the one that it made. */
export async function makeApplication(
  em: EntityManager,
  { keyRing, webhooks }: { readonly keyRing: KeyRing; readonly webhooks: WebhookProvider },
  job: WorkedJob,
  signal: AbortSignal,
): Promise<void> {
  const wished = await row<{ provider: string; application_id: string }>(
    em,
    'select provider, application_id from webhook_application where api_key_id = $1 and job_id = $2',
    [job.tenantId, job.id],
  );
  // A later job has taken its place.
  if (wished === undefined) return;
  if (wished.provider !== webhooks.name) throw new Error(`This worker does not serve ${wished.provider}.`);
  if (webhooks.name === 'svix') await webhooks.ensureApplication(wished.application_id, signal);
  else await openSecrets(em, keyRing, job.tenantId);
}

/** Endpoints that a key may have had before, deleted ones apart. */
const mostSecrets = 200;

/** Fails when what signs the key's webhooks cannot be opened with the keys that the worker has been given. */
async function openSecrets(em: EntityManager, keyRing: KeyRing, apiKeyId: string): Promise<void> {
  const sealed = await rows<{ public_id: string; secret_enc: Buffer }>(
    em,
    `select public_id, secret_enc from webhook_endpoint
     where api_key_id = $1 and deleted_at is null and secret_enc is not null order by id limit ${String(mostSecrets)}`,
    [apiKeyId],
  );
  for (const { public_id: publicId, secret_enc } of sealed) {
    keyRing.decrypt(secret_enc, webhookSecretPlace('secret_enc', { publicId, apiKeyId }));
  }
}

/** Opens the application for endpoint calls and ends its job: one transaction. */
export async function openApplication(orm: Orm, job: WorkedJob): Promise<void> {
  await inTransaction(orm, async (em) => {
    await rows(
      em,
      `update webhook_application set provisioned_at = coalesce(provisioned_at, now()) where api_key_id = $1 and job_id = $2`,
      [job.tenantId, job.id],
    );
    await completeJob(em, job);
  });
}

/** Ends the job for a reason that trying again does not change; the next enabling makes another one. */
export async function failProvisioning(em: EntityManager, job: WorkedJob, error: string): Promise<void> {
  await rows(
    em,
    'update job set status = $3, error = $4, ended_at = now() where id = $1 and api_key_id = $2 and status = $5',
    [job.id, job.tenantId, jobStatusNumbers.failed, error, jobStatusNumbers.in_progress],
  );
}

/** Where a key's application is, for calls that need it to be there; undefined until then. */
export async function openedApplication(
  em: EntityManager,
  tenantId: string,
  provider: WebhookProvider['name'],
): Promise<string | undefined> {
  const found = await row<{ application_id: string }>(
    em,
    `select application_id from webhook_application where api_key_id = $1 and provider = $2 and provisioned_at is not null`,
    [tenantId, provider],
  );
  return found?.application_id;
}
