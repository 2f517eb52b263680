import { removeDescendants } from '../../domain/cascade/remove-descendants.ts';
import { beginJob, completeJob, findJob } from '../../domain/jobs/find-job.ts';
import type { TestApi } from './api.ts';

/** Runs a cascade from its row, like a worker, and completes it. */
export async function runCascade({ orm }: Pick<TestApi, 'orm'>, jobId: string | undefined): Promise<void> {
  const publicId = jobId ?? '';
  if ((await beginJob(orm, publicId)) !== true) throw new Error('no open job');
  const job = await findJob(orm.em.fork(), publicId);
  if (job === null) throw new Error('missing job');
  for await (const _ of removeDescendants(orm, job));
  await completeJob(orm, publicId);
}
