import { cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { findJob } from '../domain/jobs/find-job.ts';
import { makeApplication, ProvisioningFailure } from '../domain/webhooks/provisioning/application.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds. Shorter than the heartbeat timeout, so no heartbeat is needed. */
const timeoutMs = 15_000;

/**
 * Creates the key's application at the webhook provider.
 * May be repeated: the application's id is derived from the key's, and the provider returns an existing application.
 */
export const makeWebhookApplication = ({ orm, keyRing, webhooks, logger }: Dependencies) => {
  const repeating = limitRepeats(logger);
  return async ({ jobId }: JobInput): Promise<void> => {
    const em = orm.em.fork();
    const job = await findJob(em, jobId);
    if (job === null) return;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), cancellationSignal()]);
    try {
      await makeApplication(em, { keyRing, webhooks }, job, signal);
    } catch (error) {
      cancellationSignal().throwIfAborted();
      if (!(error instanceof ProvisioningFailure)) throw error;
      const { message, type } = error;
      repeating.warn({ jobId, reason: message }, 'webhook application not created', jobId);
      throw ApplicationFailure.create({ message, type });
    }
  };
};
