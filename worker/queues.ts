import type { Activities } from '../activities/index.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import {
  databaseQueue,
  provisioningQueue,
  deletionQueue,
  deliveryQueue,
  dispatchQueue,
  rewriterQueues,
  workflowQueue,
} from '../workflows/contract.ts';

/** A task queue that every worker polls, its activities, and how many of them one process runs concurrently. */
export interface ActivityQueue {
  readonly taskQueue: string;
  readonly slots: number;
  readonly activities: Partial<Activities>;
  /** Workflows run on one queue only. */
  readonly workflows?: true;
}

/** Slots of the sweep, which must not wait for long work. */
const sweepSlots = 4;

/**
 * Every queue of a worker process. An activity runs on the queue that lists it, others on the database queue, which has as
 * many slots as there are connections. Slots of the other queues are settings.
 */
export function activityQueues(
  {
    startWaitingJobs,
    wakeWaitingWebhooks,
    keepHouse,
    dispatchEvents,
    deliverMessages,
    makeWebhookApplication,
    testOutboundGuard,
    openWebhookApplication,
    askProvider,
    fenceUsers,
    removePersonalData,
    countPersonalData,
    verifyDeletion,
    completeDeletion,
    ...databaseActivities
  }: Activities,
  { databasePoolSize, rewriter, slots }: ServerConfiguration,
): readonly ActivityQueue[] {
  return [
    {
      taskQueue: workflowQueue,
      workflows: true,
      slots: sweepSlots,
      activities: { startWaitingJobs, wakeWaitingWebhooks, keepHouse },
    },
    ...Object.values(rewriterQueues).map((taskQueue) => ({
      taskQueue,
      slots: rewriter.callsPerProvider,
      activities: { askProvider },
    })),
    {
      taskQueue: deletionQueue,
      slots: slots.deletion,
      activities: { fenceUsers, removePersonalData, countPersonalData, verifyDeletion, completeDeletion },
    },
    { taskQueue: dispatchQueue, slots: slots.dispatch, activities: { dispatchEvents } },
    { taskQueue: deliveryQueue, slots: slots.delivery, activities: { deliverMessages } },
    {
      taskQueue: provisioningQueue,
      slots: slots.provisioning,
      activities: {
        beginJob: databaseActivities.beginJob,
        makeWebhookApplication,
        testOutboundGuard,
        openWebhookApplication,
      },
    },
    { taskQueue: databaseQueue, slots: databasePoolSize, activities: databaseActivities },
  ];
}
