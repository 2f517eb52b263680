import { findJob } from '../domain/jobs/find-job.ts';
import { openApplication } from '../domain/webhooks/provisioning/application.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { makeWebhookApplication } from './make-webhook-application.ts';

/**
 * Enables the endpoint operations of the key, and ends the job. First creates the application if it does not exist: the
 * step before does nothing while the key is disabled, and the key may be enabled after it.
 * May be repeated: enabling an enabled application has no effect, and a job ends once.
 */
export const openWebhookApplication = (dependencies: Dependencies) => {
  const { orm } = dependencies;
  const make = makeWebhookApplication(dependencies);
  return async ({ jobId }: JobInput): Promise<void> => {
    await make({ jobId });
    const job = await findJob(orm.em.fork(), jobId);
    if (job !== null) await openApplication(orm, job);
  };
};
