import type { EntityManager } from '../../platform/database/orm.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createJob, type CreatedJob, type NewJob } from './create-job.ts';
import { cascadeKind } from './job-kinds.ts';
import type { RemovalKind } from './open-removals.ts';

/**
 * Kinds that a worker of 0.2.0 removes. It completes a job of another kind without effect if the job has the lists of a
 * cascade. Without them it fails, and retries until a worker of this release runs the job.
 */
const kindsOf020: ReadonlySet<RemovalKind> = new Set(['activities', 'crdt', 'notifications']);

/** Creates the job that removes the records of a selection, which a call leaves to it. */
export const createRemovalJob = async (
  em: EntityManager,
  tenant: Tenant,
  organization: NonNullable<NewJob['organization']>,
  records: { readonly of: RemovalKind; readonly selection: object },
): Promise<CreatedJob> =>
  createJob(em, tenant, {
    kind: cascadeKind,
    organization,
    request: {
      ...(kindsOf020.has(records.of) && { organizations: [], folders: [], documents: [] }),
      records,
    },
  });
