import type { Activities } from '../activities/index.ts';
import { databaseQueue, workflowQueue } from '../workflows/contract.ts';

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

/**
 * Every queue of a worker process. An activity runs where it is listed by name; what no other queue lists works on the
 * database, as many at once as there are connections.
 */
export function activityQueues(
  { startWaitingJobs, keepHouse, ...databaseActivities }: Activities,
  databasePoolSize: number,
): readonly ActivityQueue[] {
  return [
    {
      taskQueue: workflowQueue,
      workflows: true,
      slots: sweepSlots,
      activities: { startWaitingJobs, keepHouse },
    },
    { taskQueue: databaseQueue, slots: databasePoolSize, activities: databaseActivities },
  ];
}
