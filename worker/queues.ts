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

/** Concurrent deletions of user data per process. Each uses one database connection fully. */
const deletionSlots = 2;

/** Keys whose events a process dispatches concurrently. Each mostly waits for events. */
const dispatchSlots = 50;

/** Endpoints that a process serves concurrently. A hanging server keeps its slot for 30 s and uses nothing else. */
const deliverySlots = 500;

/** Keys that a process provisions concurrently. */
const provisioningSlots = 4;

/**
 * Every queue of a worker process. An activity runs on the queue that lists it, others on the database queue, which has as
 * many slots as there are connections.
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
  { databasePoolSize, rewriter }: ServerConfiguration,
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
      slots: deletionSlots,
      activities: { fenceUsers, removePersonalData, countPersonalData, verifyDeletion, completeDeletion },
    },
    { taskQueue: dispatchQueue, slots: dispatchSlots, activities: { dispatchEvents } },
    { taskQueue: deliveryQueue, slots: deliverySlots, activities: { deliverMessages } },
    {
      taskQueue: provisioningQueue,
      slots: provisioningSlots,
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
