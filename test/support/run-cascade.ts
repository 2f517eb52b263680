import { removeDescendants } from '../../domain/cascade/remove-descendants.ts';
import { notifyRemaining } from '../../domain/comments/emission/notify-remaining.ts';
import { findJob } from '../../domain/jobs/find-job.ts';
import { beginJob, completeJob } from '../../domain/jobs/job-steps.ts';
import type { Job } from '../../domain/jobs/job.entity.ts';
import { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { TestApi } from './api.ts';

/** Runs a cascade from its row, like a worker, and completes it. */
export async function runCascade({ orm }: Pick<TestApi, 'orm'>, jobId: string | undefined): Promise<void> {
  await run(orm, jobId, (job) => removeDescendants(orm, job));
}

/**
 * Runs the job that notifies the remaining recipients of comments like a worker, and completes it. Calls `between` after
 * each step.
 */
export async function runRemaining(
  { orm, keyRing }: Pick<TestApi, 'orm' | 'keyRing'>,
  jobId: string | undefined,
  between: (step: number) => Promise<void> = async () => Promise.resolve(),
): Promise<void> {
  await run(orm, jobId, (job) => notifyRemaining(orm, job, ownProvider({ orm, keyRing })), between);
}

/** An attempt of that job in a process of its own. Begins the job if it is pending, and never completes it. */
export async function attemptRemaining(
  { orm, keyRing }: Pick<TestApi, 'orm' | 'keyRing'>,
  jobId: string | undefined,
): Promise<AsyncGenerator<void, void>> {
  return notifyRemaining(orm, await begun(orm, jobId ?? ''), ownProvider({ orm, keyRing }));
}

const ownProvider = ({ orm, keyRing }: Pick<TestApi, 'orm' | 'keyRing'>) =>
  new PermissionProvider({ orm, keyRing, allowedNetworks: ['127.0.0.0/8'] });

async function run(
  orm: Orm,
  jobId: string | undefined,
  work: (job: Job) => AsyncIterable<unknown>,
  between?: (step: number) => Promise<void>,
): Promise<void> {
  const publicId = jobId ?? '';
  let step = 0;
  for await (const _ of work(await begun(orm, publicId))) {
    await between?.(step);
    step += 1;
  }
  await completeJob(orm, publicId);
}

async function begun(orm: Orm, publicId: string): Promise<Job> {
  if ((await beginJob(orm, publicId)) !== true) throw new Error('no open job');
  const job = await findJob(orm.em.fork(), publicId);
  if (job === null) throw new Error('missing job');
  return job;
}
