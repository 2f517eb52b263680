import { randomToken } from '../../platform/encryption/tokens.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { Job } from './job.entity.ts';
import { startableJob, type JobKind, type SpecialWork, type StartableJob } from './job-kinds.ts';

export interface NewJob {
  readonly kind: JobKind;
  /** Work that is not that of the kind. */
  readonly special?: SpecialWork;
  /** Surrogate key and customer's id of the job's organization; null when it concerns none or several. */
  readonly organization: { readonly id: string; readonly organizationId: string } | null;
  /** Surrogate keys only, never content or users. */
  readonly request: object;
  /** The total of its progress, when known. */
  readonly total?: number;
  /** The public id of the job that runs again after the database was restored. */
  readonly replayed?: string | undefined;
}

/** The job's surrogate key, and the input to start its workflow after the commit. */
export interface CreatedJob extends StartableJob {
  readonly id: string;
}

/** Writes the pending row. The caller passes the job to `work.startJob`, which starts its workflow after the commit. */
export async function createJob(
  em: EntityManager,
  tenant: Pick<Tenant, 'id' | 'keyId' | 'requestId'>,
  { kind, special, organization, request, total, replayed }: NewJob,
): Promise<CreatedJob> {
  const publicId = replayed ?? randomToken('job');
  const organizationId = organization?.organizationId ?? null;
  const requestId = tenant.requestId ?? null;
  const job = em.create(Job, {
    apiKeyId: tenant.id,
    publicId,
    kind: kind.number,
    orgId: organization?.id ?? null,
    organizationExtId: organizationId,
    request: {
      ...request,
      ...(special === 'notifyMembers' && { workflow: special }),
      ...(replayed !== undefined && { replayed: true }),
    },
    progress: total === undefined ? null : { done: 0, total },
    requestId,
  });
  await em.flush();
  return {
    id: job.id,
    ...startableJob(kind, { jobId: publicId, keyId: tenant.keyId, organizationId, requestId }, special),
  };
}
