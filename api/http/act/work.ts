import type { StartableJob } from '../../../domain/jobs/job-kinds.ts';
import { afterCommit, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { ReadWork, Work } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { AuditTrail } from './audit-trail.ts';

/** Dependencies of the HTTP layer of an API process. */
export interface HttpDependencies {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly services: Services;
  /** Starts a job's workflow in the background; never throws. */
  readonly startJob: (job: StartableJob) => void;
  /** Wakes the workflow of a webhook endpoint in the background; never throws. */
  readonly wakeEndpoint: Work['wakeEndpoint'];
}

/** What a handler works with in the transaction of `em`. */
export function workOf(
  dependencies: HttpDependencies,
  em: EntityManager,
  { idempotent, audit = new AuditTrail() }: Partial<Pick<Work, 'idempotent' | 'audit'>> = {},
): Work {
  return {
    ...dependencies.services,
    em,
    keyRing: dependencies.keyRing,
    idempotent,
    audit,
    startJob: (job) => afterCommit(em, () => dependencies.startJob(job)),
    wakeEndpoint: (endpoint) => afterCommit(em, () => dependencies.wakeEndpoint(endpoint)),
  };
}

/** What a reading handler works with: no transaction, and no side effects. */
export const readWorkOf = ({ orm, keyRing, services }: HttpDependencies): ReadWork => ({
  ...services,
  em: orm.em,
  keyRing,
});
