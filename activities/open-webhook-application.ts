import { findJob } from '../domain/jobs/find-job.ts';
import { openApplication } from '../domain/webhooks/provisioning/application.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Enables the endpoint operations of the key, and ends the job.
 * May be repeated: enabling an enabled application has no effect, and a job ends once.
 */
export const openWebhookApplication =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<void> => {
    const job = await findJob(orm.em.fork(), jobId);
    if (job !== null) await openApplication(orm, job);
  };
