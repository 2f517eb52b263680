import type { Activities } from '../activities/index.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { databaseQueue, deletionQueue, rewriterQueues, workflowQueue } from '../workflows/contract.ts';

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

/**
 * Every queue of a worker process. An activity runs where it is listed by name; what no other queue lists works on the
 * database, as many at once as there are connections.
 */
export function activityQueues(
  {
    startWaitingJobs,
    keepHouse,
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
      activities: { startWaitingJobs, keepHouse },
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
    { taskQueue: databaseQueue, slots: databasePoolSize, activities: databaseActivities },
  ];
}
