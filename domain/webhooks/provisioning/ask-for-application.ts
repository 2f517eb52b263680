import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../../platform/encryption/tokens.ts';
import { createJob } from '../../jobs/create-job.ts';
import { jobStatusNumbers } from '../../jobs/job.entity.ts';
import { provisioningKind, type StartableJob } from '../../jobs/job-kinds.ts';
import { tablesOf } from '../../tables.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import type { WebhookProvider } from '../provider.ts';

/** How a provider knows a key: nothing by which the key could be guessed. */
export const applicationIdOf = (apiKey: string): string => `steward_${sha256(apiKey).toString('hex')}`;

/**
 * Writes the job that makes the key's application at the provider, unless it has been made or is being made. Called in
 * the transaction that enables advanced webhooks and holds their configuration: enabling at once makes one job.
 */
export async function askForApplication(
  em: EntityManager,
  tenant: Tenant,
  provider: WebhookProvider['name'],
): Promise<StartableJob | undefined> {
  const present = await tablesOf(em)
    .selectFrom('webhook_application as a')
    .leftJoin('job as j', 'j.id', 'a.job_id')
    .select(['a.provider', 'a.provisioned_at', 'j.status'])
    .where('a.api_key_id', '=', tenant.id)
    .executeTakeFirst();
  const wanted = present?.provider === provider;
  if (wanted && (present.provisioned_at !== null || isUnderWay(present.status))) return undefined;
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
  if (provider === 'svix') await collectEvents(em, tenant.id, applicationId);
  return job;
}

/** Null when the job has been cleared away. */
const isUnderWay = (status: number | null): boolean =>
  status === jobStatusNumbers.pending || status === jobStatusNumbers.in_progress;

/** From now on events are recorded for the application, also while it is still being made. */
async function collectEvents(em: EntityManager, tenantId: string, applicationId: string): Promise<void> {
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
