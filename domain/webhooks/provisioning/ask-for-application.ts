import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../../platform/encryption/tokens.ts';
import { createJob } from '../../jobs/create-job.ts';
import { jobStatusNumbers } from '../../jobs/job.entity.ts';
import type { StartableJob } from '../../jobs/job-kinds.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { endpointKinds } from '../delivery/message.ts';
import type { WebhookProvider } from '../provider.ts';

/** How a provider knows a key: nothing by which the key could be guessed. */
export const applicationIdOf = (apiKey: string): string => `steward_${sha256(apiKey).toString('hex')}`;

interface Present {
  readonly provider: string;
  readonly provisioned: boolean;
  /** Of its job; null when that has been cleared away. */
  readonly status: number | null;
}

/**
 * Writes the job that makes the key's application at the provider, unless it has been made or is being made. Called in
 * the transaction that enables advanced webhooks and holds their configuration: enabling at once makes one job.
 */
export async function askForApplication(
  em: EntityManager,
  tenant: Tenant,
  provider: WebhookProvider['name'],
): Promise<StartableJob | undefined> {
  const present = await row<Present>(
    em,
    `select a.provider, a.provisioned_at is not null as provisioned,
       (select j.status from job j where j.id = a.job_id) as status
     from webhook_application a where a.api_key_id = $1`,
    [tenant.id],
  );
  if (present?.provider === provider && (present.provisioned || isUnderWay(present.status))) return undefined;
  const applicationId = applicationIdOf(tenant.apiKey);
  const wish = { kind: 'webhook-provisioning', organization: null, request: { provider } } as const;
  const job = await createJob(em, tenant, wish);
  await rows(
    em,
    `insert into webhook_application (api_key_id, provider, application_id, job_id) values ($1, $2, $3, $4)
     on conflict (api_key_id) do update set provider = excluded.provider, application_id = excluded.application_id,
       job_id = excluded.job_id, provisioned_at = null`,
    [tenant.id, provider, applicationId, job.id],
  );
  if (provider === 'svix') await collectEvents(em, tenant.id, applicationId);
  return job;
}

const isUnderWay = (status: number | null): boolean =>
  status === jobStatusNumbers.pending || status === jobStatusNumbers.in_progress;

/** From now on events are recorded for the application, also while it is still being made. */
async function collectEvents(em: EntityManager, tenantId: string, applicationId: string): Promise<void> {
  await rows(
    em,
    `insert into webhook_endpoint (api_key_id, public_id, kind, url, provider_id) values ($1, $2, $3, '', $4)
     on conflict (api_key_id, kind) where deleted_at is null and kind <> 0 do nothing`,
    [tenantId, randomToken('ep'), endpointKinds.application, applicationId],
  );
}
