import { LRUCache } from 'lru-cache';
import { findJob } from '../domain/jobs/find-job.ts';
import { completeJob } from '../domain/jobs/job-steps.ts';
import { jobStatusNumbers } from '../domain/jobs/job.entity.ts';
import { jobKindOf, jobWork } from '../domain/job-handlers/job-kinds.ts';
import { BoundedProvider, ProviderBusy } from '../domain/permissions/provider/bounded-provider.ts';
import type { Decider } from '../domain/permissions/provider/permission-provider.ts';
import type { JobInput, TurnResult } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { inOneTurn } from './report-progress.ts';
import { unlessStopped } from './unless-stopped.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/** Max jobs whose position a process remembers. */
const maxRemembered = 10_000;

/**
 * Works on a job for one turn, and completes it when no work is left.
 * May be repeated: the work and its cursor are written in one transaction. A job that must wait before it calls a
 * permission provider throws `ProviderBusy`, and is retried. It waits for other queries and, after a
 * restore, for the deletions that run again: the database may still contain their users.
 */
export const workOnJob = (dependencies: Dependencies) => {
  const { orm, keyRing, publicUrl, journal, gate } = dependencies;
  const bounded = new BoundedProvider(dependencies.permissionProvider, dependencies.databaseSlots);
  const permissionProvider: Decider = {
    // A provider may take longer than the heartbeat timeout: without heartbeats, another attempt would call it too.
    decide: async (tenant, query) => {
      if (!gate.isOpen()) throw new ProviderBusy('Deletions run again after a restore of the database.');
      // A stopping worker does not wait for a provider either: the next attempt asks again.
      const decided = await withHeartbeats(dependencies.stopping(), async (signal) =>
        unlessStopped(signal, bounded.decide(tenant, query)),
      );
      if (decided === undefined) throw new ProviderBusy('The worker stops.');
      return decided;
    },
  };
  const positions = new LRUCache<string, number>({ max: maxRemembered });
  return async ({ jobId }: JobInput): Promise<TurnResult> => {
    const job = await findJob(orm.em.fork(), jobId);
    if (job?.status !== jobStatusNumbers.in_progress) return { finished: true };
    const work = jobWork(job.kind);
    if (work === undefined)
      throw new Error(`Missing work for job kind ${jobKindOf(job.kind).name}: it has a workflow of its own.`);
    const tools = { keyRing, issuer: publicUrl, journal, permissionProvider };
    const turn = await inOneTurn(work(orm, job, tools, positions.get(jobId) ?? 0));
    if (!turn.finished) {
      if (typeof turn.at === 'number') positions.set(jobId, turn.at);
      return { finished: false };
    }
    positions.delete(jobId);
    await completeJob(orm, jobId);
    return { finished: true };
  };
};
