import { sql } from 'kysely';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { lockJob } from '../../jobs/find-job.ts';
import type { Job } from '../../jobs/job.entity.ts';
import { tablesOf } from '../../tables.ts';
import { webhookSecretContext } from '../endpoints/secret-context.ts';
import type { WebhookProvider } from '../provider.ts';

/** Why this worker cannot create an application. The message contains no secret. */
export class ProvisioningFailure extends Error {
  override readonly name = 'ProvisioningFailure';
  readonly type: 'PROVIDER' | 'CONFIGURATION';

  constructor(type: ProvisioningFailure['type'], message: string) {
    super(message);
    this.type = type;
  }
}

/** Creates the application of a job. Idempotent. Throws a ProvisioningFailure, or the error of a statement. */
export async function makeApplication(
  em: EntityManager,
  { keyRing, webhooks }: { readonly keyRing: KeyRing; readonly webhooks: WebhookProvider },
  job: Job,
  signal: AbortSignal,
): Promise<void> {
  const requested = await tablesOf(em)
    .selectFrom('webhook_application')
    .select(['provider', 'application_id'])
    .where((row) => row.and({ api_key_id: job.apiKeyId, job_id: job.id }))
    .executeTakeFirst();
  // A later job has replaced this one.
  if (requested === undefined) return;
  if (requested.provider !== webhooks.name)
    throw new ProvisioningFailure(
      'CONFIGURATION',
      `The application is for the webhook provider ${requested.provider}, and the worker has ${webhooks.name}.`,
    );
  if (webhooks.name === 'svix') await createAtProvider(webhooks, requested.application_id, signal);
  else await checkSecrets(em, keyRing, job.apiKeyId);
}

async function createAtProvider(
  provider: Exclude<WebhookProvider, { readonly name: 'embedded' }>,
  applicationId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await provider.ensureApplication(applicationId, signal);
  } catch (error) {
    const failed = `The webhook provider ${provider.name} failed to create the application`;
    throw new ProvisioningFailure('PROVIDER', `${failed}: ${(error as Error).message}`);
  }
}

/** Max endpoints whose secrets are checked: a key with more has few encryption keys, too. */
const maxCheckedSecrets = 200;

/** Throws when the worker's encryption keys cannot decrypt the signing secrets of the key's endpoints. */
async function checkSecrets(em: EntityManager, keyRing: KeyRing, apiKeyId: string): Promise<void> {
  const sealed = await tablesOf(em)
    .selectFrom('webhook_endpoint')
    .select(['public_id', 'secret_enc'])
    .where('api_key_id', '=', apiKeyId)
    .where('deleted_at', 'is', null)
    .where('secret_enc', 'is not', null)
    .orderBy('id')
    .limit(sql.lit(maxCheckedSecrets))
    .$narrowType<{ secret_enc: Buffer }>()
    .execute();
  for (const { public_id: publicId, secret_enc } of sealed) {
    try {
      keyRing.decrypt(secret_enc, webhookSecretContext('secret_enc', { publicId, apiKeyId }));
    } catch {
      throw new ProvisioningFailure(
        'CONFIGURATION',
        `The worker's encryption keys cannot decrypt the secret of the webhook endpoint ${publicId}.`,
      );
    }
  }
}

/** Opens the application for endpoint calls and completes its job in one transaction. */
export async function openApplication(orm: Orm, job: Job): Promise<void> {
  await inTransaction(orm, async (em) => {
    await tablesOf(em)
      .updateTable('webhook_application')
      .set({ provisioned_at: sql`coalesce(provisioned_at, now())` })
      .where((row) => row.and({ api_key_id: job.apiKeyId, job_id: job.id }))
      .execute();
    (await lockJob(em, job.publicId))?.complete();
  });
}

/** Fails the job without a retry; enabling advanced webhooks again creates another job. */
export const failProvisioning = async (orm: Orm, jobId: string, error: string): Promise<void> =>
  inTransaction(orm, async (em) => (await lockJob(em, jobId))?.fail(error));

/** Id of the key's application; undefined until it is provisioned. */
export async function findOpenApplication(
  em: EntityManager,
  tenantId: string,
  provider: WebhookProvider['name'],
): Promise<string | undefined> {
  const found = await tablesOf(em)
    .selectFrom('webhook_application')
    .select('application_id')
    .where((row) => row.and({ api_key_id: tenantId, provider }))
    .where('provisioned_at', 'is not', null)
    .executeTakeFirst();
  return found?.application_id;
}
