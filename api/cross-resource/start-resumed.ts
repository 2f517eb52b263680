import type { Resumed } from '../../domain/keys/resume-keys.ts';
import type { Work } from '../http/endpoint.ts';

/** Starts jobs and wakes workflows that waited for a key, after the commit. */
export function startResumed(
  { jobs, endpoints }: Resumed,
  { startJob, wakeEndpoint }: Pick<Work, 'startJob' | 'wakeEndpoint'>,
): void {
  for (const job of jobs) startJob(job);
  for (const endpoint of endpoints) wakeEndpoint(endpoint);
}
