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

/** A task queue that every worker polls, the activities that run on it, and how many of them at once in one process. */
export interface ActivityQueue {
  readonly taskQueue: string;
  readonly slots: number;
  readonly activities: Partial<Activities>;
  /** Workflows run on one queue only. */
  readonly workflows?: true;
}

/** Slots for the sweep, which must not wait behind long work. */
const sweepSlots = 4;

/** Deletions of people's data that a process works on at once: each takes what a connection gives. */
const deletionSlots = 2;

/** Keys whose events a process hands on at once; each mostly waits for more. */
const dispatchSlots = 50;

/** Endpoints that a process serves at once: a server that hangs keeps its slot for half a minute and needs nothing else. */
const deliverySlots = 500;

/** Keys that a process makes known at once. */
const provisioningSlots = 4;

/**
 * Every queue of a worker process. An activity runs where it is listed by name; what no other queue lists works on the
 * database, as many at once as there are connections.
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
