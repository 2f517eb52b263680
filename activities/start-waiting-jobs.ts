import pLimit from 'p-limit';
import { claimDueJobs, postponeChecks } from '../domain/job-handlers/due-jobs.ts';
import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import { workflowStartOf } from '../workflows/starts.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './report-progress.ts';

/** Concurrent starts. */
const maxConcurrentStarts = 20;

/** Milliseconds after which a sweep claims no further jobs, so that its other steps succeed every 30 s. */
const turnMs = 8_000;

/**
 * Starts the workflows of waiting jobs, as fast as Temporal accepts them. Running workflows are not affected: a
 * workflow's id is derived from its job's. May be repeated: a job that was claimed and not started is due again after 1
 * minute.
 */
export const startWaitingJobs =
  ({ orm, startWorkflow, paused }: Dependencies) =>
  async (_input: object): Promise<void> => {
    const until = performance.now() + turnMs;
    for (let more = !paused.has('jobs'); more && performance.now() < until;) {
      const claimed = await claimDueJobs(orm.em.fork());
      await startAll(claimed.due, startWorkflow);
      if (claimed.due.length > 0)
        await postponeChecks(
          orm.em.fork(),
          claimed.due.map(({ jobId }) => jobId),
        );
      more = claimed.more;
    }
    await recordSweepStep(orm.em.fork(), 'start_waiting_jobs');
  };

async function startAll(
  jobs: readonly StartableJob[],
  startWorkflow: Dependencies['startWorkflow'],
): Promise<void> {
  const limit = pLimit(maxConcurrentStarts);
  try {
    await limit.map(jobs.map(workflowStartOf), async (start) => {
      await startWorkflow(start);
      reportProgress(limit.pendingCount);
    });
  } finally {
    // No further workflow starts after a failure or a cancellation.
    limit.clearQueue();
  }
}
