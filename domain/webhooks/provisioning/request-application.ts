import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../../platform/encryption/tokens.ts';
import { createJob } from '../../jobs/create-job.ts';
import { jobStatusNumbers } from '../../jobs/job.entity.ts';
import { provisioningKind, type StartableJob } from '../../jobs/job-kinds.ts';
import { tablesOf } from '../../tables.ts';
import type { CallingTenant } from '../../tenancy/tenant.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { restartFailingTime } from '../endpoints/restart-failing-time.ts';
import type { WebhookProvider } from '../provider.ts';

/** Returns the id of a key's application at a provider: a hash, so that it does not reveal the key. */
const applicationIdOf = (apiKey: string): string => `steward_${sha256(apiKey).toString('hex')}`;

/**
 * Creates the job that provisions the key's application, unless the application exists or a job is running. Call it in the
 * transaction that enables and locks the configuration, so that concurrent calls create one job.
 */
export async function requestApplication(
  em: EntityManager,
  tenant: CallingTenant,
  provider: WebhookProvider['name'],
): Promise<StartableJob | undefined> {
  const present = await tablesOf(em)
    .selectFrom('webhook_application as a')
    .select((row) => [
      'a.provider',
      'a.provisioned_at',
      // Not a join: while few keys have an application, PostgreSQL would merge it with the whole index of jobs.
      row.selectFrom('job as j').select('j.status').whereRef('j.id', '=', 'a.job_id').as('status'),
    ])
    .where('a.api_key_id', '=', tenant.id)
    .executeTakeFirst();
  const isRequested = present?.provider === provider;
  // The endpoints of the former provider get nothing until a switch back.
  if (present !== undefined && !isRequested) await restartFailingTime(em, tenant.id, 'advanced');
  if (isRequested && (present.provisioned_at !== null || isRunning(present.status))) return undefined;
  const applicationId = applicationIdOf(tenant.apiKey);
  const request = { kind: provisioningKind, organization: null, request: { provider } } as const;
  const job = await createJob(em, tenant, request);
  const application = { provider, application_id: applicationId, job_id: job.id };
  await tablesOf(em)
    .insertInto('webhook_application')
    .values({ api_key_id: tenant.id, ...application })
    .onConflict((conflict) =>
      conflict.column('api_key_id').doUpdateSet({ ...application, provisioned_at: null }),
    )
    .execute();
  if (provider === 'svix') await recordEventsForApplication(em, tenant.id, applicationId);
  return job;
}

/** `status` is null when the job's row has expired. */
const isRunning = (status: number | null): boolean =>
  status === jobStatusNumbers.pending || status === jobStatusNumbers.in_progress;

/** Records events for the application from now on, before it exists, too. */
async function recordEventsForApplication(
  em: EntityManager,
  tenantId: string,
  applicationId: string,
): Promise<void> {
  await tablesOf(em)
    .insertInto('webhook_endpoint')
    .values({
      api_key_id: tenantId,
      public_id: randomToken('ep'),
      kind: endpointKinds.application,
      url: '',
      provider_id: applicationId,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['api_key_id', 'kind'])
        .where('deleted_at', 'is', null)
        .where('kind', '<>', sql.lit(endpointKinds.advanced))
        .doNothing(),
    )
    .execute();
}
