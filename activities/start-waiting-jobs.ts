import { claimDueJobs, postponeChecks } from '../domain/job-handlers/due-jobs.ts';
import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import { workflowStartOf } from '../workflows/starts.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import { Attempts } from './attempts.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds after which a sweep claims no further jobs, so that its other steps succeed every 30 s. */
const turnMs = 8_000;

/**
 * Starts the workflows of waiting jobs, as fast as Temporal accepts them. Running workflows are not affected: a
 * workflow's id is derived from its job's. A start that fails does not stop the others; the failures are thrown at
 * the end. May be repeated: a job that was claimed and not started is due again after 1 minute.
 */
export const startWaitingJobs =
  ({ orm, startWorkflow, paused }: Dependencies) =>
  async (_input: object): Promise<void> => {
    const until = performance.now() + turnMs;
    const starts = new Attempts<StartableJob>(async (job) => startWorkflow(workflowStartOf(job)));
    for (let more = !paused.has('jobs'); more && performance.now() < until;) {
      const claimed = await claimDueJobs(orm.em.fork());
      const started = await starts.all(claimed.due);
      if (started.length > 0)
        await postponeChecks(
          orm.em.fork(),
          started.map(({ jobId }) => jobId),
        );
      more = claimed.more && !starts.stopped;
    }
    starts.throwFailures();
    await recordSweepStep(orm.em.fork(), 'start_waiting_jobs');
  };
