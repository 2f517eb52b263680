import { clearEndedJobs, clearIdempotentAnswers } from '../domain/maintenance/clear-expired.ts';
import { keepDayPartitions } from '../domain/maintenance/day-partitions.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/**
 * Clears away what has had its time, a little each turn, and makes the partitions of the coming days.
 * May be repeated: it removes what is too old and makes what is not there.
 */
export const keepHouse =
  ({ orm }: Dependencies) =>
  async (_input: object): Promise<void> => {
    await clearIdempotentAnswers(orm.em.fork());
    reportProgress('jobs');
    await clearEndedJobs(orm.em.fork());
    reportProgress('partitions');
    await keepDayPartitions(orm, Date.now());
  };
