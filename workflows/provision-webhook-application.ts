import { provisioningQueue, type JobInput } from './contract.ts';
import { steps, untilItWorks } from './steps.ts';

const { beginJob, makeWebhookApplication, testOutboundGuard, openWebhookApplication } = steps(
  // What is away delays: someone waits for its return, so it is asked again soon and for long.
  { ...untilItWorks, startToCloseTimeout: '30 seconds', taskQueue: provisioningQueue },
  {
    beginJob: 'Take the provisioning in hand',
    makeWebhookApplication: 'Make the application where webhooks are served',
    testOutboundGuard: 'Test the guard of outgoing calls',
    openWebhookApplication: 'Open the application for calls',
  },
);

/** Makes a key's application at whoever serves its advanced webhooks; only a guard with a gap ends it without one. */
export async function provisionWebhookApplication({ jobId }: JobInput): Promise<void> {
  const provisioning = { jobId };
  if (!(await beginJob(provisioning))) return;
  await makeWebhookApplication(provisioning);
  if (!(await testOutboundGuard(provisioning))) return;
  await openWebhookApplication(provisioning);
}
