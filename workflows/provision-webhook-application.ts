import { provisioningQueue, type JobInput } from './contract.ts';
import { steps, retryForADay } from './steps.ts';

const { beginJob, makeWebhookApplication, testOutboundGuard, openWebhookApplication } = steps(
  // An outage of the provider delays the key's webhooks: attempts are at most 30 s apart, for a day.
  { ...retryForADay, startToCloseTimeout: '30 seconds', taskQueue: provisioningQueue },
  {
    beginJob: 'Start the provisioning',
    makeWebhookApplication: 'Create the application at the webhook provider',
    testOutboundGuard: 'Test the SSRF guard',
    openWebhookApplication: 'Enable the application',
  },
);

/**
 * Creates a key's application at the webhook provider. The job fails only when the test of the SSRF guard fails. After a day
 * of failed attempts of a step, the workflow fails and the sweep starts it again.
 */
export async function provisionWebhookApplication({ jobId }: JobInput): Promise<void> {
  const provisioning = { jobId };
  if (!(await beginJob(provisioning))) return;
  await makeWebhookApplication(provisioning);
  if (!(await testOutboundGuard(provisioning))) return;
  await openWebhookApplication(provisioning);
}
