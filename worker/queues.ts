import type { Activities } from '../activities/index.ts';
import type { Paused, ServerConfiguration } from '../platform/config/configuration.ts';
import {
  databaseQueue,
  provisioningQueue,
  deletionQueue,
  deliveryQueue,
  dispatchQueue,
  rewriterQueues,
  senderQueues,
  workflowQueue,
} from '../workflows/contract.ts';

/** A task queue that workers poll, its activities, and how many of them one process runs concurrently. */
export interface ActivityQueue {
  readonly taskQueue: string;
  readonly slots: number;
  readonly activities: Partial<Activities>;
  /** The queue is not polled while any of this work is paused. */
  readonly work?: readonly PausableWork[];
  /** Workflows run on one queue only. */
  readonly workflows?: true;
}

type PausableWork = Paused extends ReadonlySet<infer Work> ? Work : never;

/** Slots of the sweep, which must not wait for long work. */
const sweepSlots = 4;

/**
 * The queues of a worker process, without those of paused work. An activity runs on the queue that lists it, others on the
 * database queue, which has as many slots as there are connections. Slots of the other queues are settings.
 */
export function activityQueues(
  {
    startWaitingJobs,
    wakeWaitingWebhooks,
    keepHouse,
    dispatchEvents,
    deliverMessages,
    sendNotices,
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
  { databasePoolSize, rewriter, slots, paused }: ServerConfiguration,
): readonly ActivityQueue[] {
  const queues: readonly ActivityQueue[] = [
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
      work: ['deliveries'] as const,
    })),
    {
      taskQueue: deletionQueue,
      slots: slots.deletion,
      activities: { fenceUsers, removePersonalData, countPersonalData, verifyDeletion, completeDeletion },
      work: ['jobs'],
    },
    { taskQueue: dispatchQueue, slots: slots.dispatch, activities: { dispatchEvents }, work: ['deliveries'] },
    {
      taskQueue: deliveryQueue,
      slots: slots.delivery,
      activities: { deliverMessages },
      work: ['deliveries'],
    },
    ...Object.values(senderQueues).map((taskQueue) => ({
      taskQueue,
      slots: slots.delivery,
      activities: { sendNotices },
      work: ['deliveries'] as const,
    })),
    {
      taskQueue: provisioningQueue,
      slots: slots.provisioning,
      activities: {
        beginJob: databaseActivities.beginJob,
        makeWebhookApplication,
        testOutboundGuard,
        openWebhookApplication,
      },
      work: ['deliveries', 'jobs'],
    },
    {
      taskQueue: databaseQueue,
      slots: databasePoolSize,
      activities: databaseActivities,
      work: ['jobs'],
    },
  ];
  return queues.filter(({ work = [] }) => !work.some((one) => paused.has(one)));
}
