import { cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { findJob } from '../domain/jobs/find-job.ts';
import { makeApplication } from '../domain/webhooks/provisioning/work-application.ts';
import { classifyDatabaseError } from '../platform/database/failures.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds; less than the heartbeat's time, so that none need be sent. */
const limit = 15_000;

/**
 * Makes the key's application at the provider of advanced webhooks.
 * May be repeated: the provider knows the application by an id that is made of the key's, and answers the one it has.
 */
export const makeWebhookApplication =
  ({ orm, keyRing, webhooks }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<void> => {
    const em = orm.em.fork();
    const job = await findJob(em, jobId);
    if (job === null) return;
    const signal = AbortSignal.any([AbortSignal.timeout(limit), cancellationSignal()]);
    try {
      await makeApplication(em, { keyRing, webhooks }, job, signal);
    } catch (error) {
      // What the provider said may quote what it was sent.
      if (classifyDatabaseError(error) !== 'bug') throw error;
      const message = `Advanced webhooks by ${webhooks.name}: the application could not be made.`;
      throw ApplicationFailure.create({ message, type: 'PROVIDER' });
    }
  };
