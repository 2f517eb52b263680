import { completeJob, findJob } from '../domain/jobs/find-job.ts';
import { jobStatusNumbers } from '../domain/jobs/job.entity.ts';
import { jobKindOf, jobWork } from '../domain/job-handlers/job-kinds.ts';
import type { JobInput, TurnEnd } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/** Milliseconds that one call works before it makes room for other jobs. */
const turn = 5_000;

/**
 * Works on a job for a turn, and completes it when nothing is left to do.
 * May be repeated: the work itself knows what is left, and writes what it did in one transaction with its progress.
 */
export const workOnJob =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<TurnEnd> => {
    const job = await findJob(orm.em.fork(), jobId);
    if (job?.status !== jobStatusNumbers.in_progress) return { finished: true };
    const work = jobWork(job.kind);
    if (work === undefined)
      throw new Error(`The job kind ${jobKindOf(job.kind).name} has a workflow of its own.`);
    const until = Date.now() + turn;
    let steps = 0;
    for await (const _ of work(orm, job)) {
      steps += 1;
      reportProgress(steps);
      if (Date.now() >= until) return { finished: false };
    }
    await completeJob(orm, jobId);
    return { finished: true };
  };
