import type { StartableJob } from '../../../domain/jobs/job-kinds.ts';
import { afterCommit, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import type { ReadWork, Work } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { AuditTrail } from './audit-trail.ts';

/** Dependencies of the HTTP layer of an API process. */
export interface HttpDependencies extends Services {
  readonly orm: Orm;
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
    ...servicesOf(dependencies),
    em,
    idempotent,
    audit,
    startJob: (job) => afterCommit(em, () => dependencies.startJob(job)),
    wakeEndpoint: (endpoint) => afterCommit(em, () => dependencies.wakeEndpoint(endpoint)),
    afterCommit: (action) => afterCommit(em, action),
  };
}

/** What a reading handler works with: no transaction, and no side effects. */
export const readWorkOf = (dependencies: HttpDependencies): ReadWork => ({
  ...servicesOf(dependencies),
  em: dependencies.orm.em,
});

function servicesOf(services: Services): Services {
  return {
    keyRing: services.keyRing,
    crdtReads: services.crdtReads,
    permissionProvider: services.permissionProvider,
    rewriter: services.rewriter,
    concurrentCalls: services.concurrentCalls,
    webhooks: services.webhooks,
    outbound: services.outbound,
    publicUrl: services.publicUrl,
    messaging: services.messaging,
    senders: services.senders,
    workflowUrl: services.workflowUrl,
  };
}
