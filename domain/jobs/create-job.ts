import { randomToken } from '../../platform/encryption/tokens.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { Job } from './job.entity.ts';
import { startableJob, type JobKind, type SpecialWorkflow, type StartableJob } from './job-kinds.ts';

export interface NewJob {
  readonly kind: JobKind;
  readonly workflow?: SpecialWorkflow;
  /** Surrogate key and customer's id of the one organization that the job is about, if there is one. */
  readonly organization: { readonly id: string; readonly organizationId: string } | null;
  /** Surrogate keys only: never content, never users. */
  readonly request: object;
  /** How much there is to do, where that is known. */
  readonly total?: number;
}

/** The job's surrogate key, and what starts its workflow once the transaction has committed. */
export interface CreatedJob extends StartableJob {
  readonly id: string;
}

/** Writes the pending row. Nothing is started here: the caller hands the job to `work.startJob`. */
export async function createJob(
  em: EntityManager,
  tenant: Tenant,
  { kind, workflow, organization, request, total }: NewJob,
): Promise<CreatedJob> {
  const publicId = randomToken('job');
  const job = em.create(Job, {
    apiKeyId: tenant.id,
    publicId,
    kind: kind.number,
    orgId: organization === null ? null : organization.id,
    organizationExtId: organization?.organizationId ?? null,
    request: workflow === undefined ? request : { ...request, workflow },
    progress: total === undefined ? null : { done: 0, total },
  });
  await em.flush();
  const organizationId = organization?.organizationId ?? null;
  return {
    id: job.id,
    ...startableJob(kind, { jobId: publicId, keyId: tenant.keyId, organizationId }, workflow),
  };
}
