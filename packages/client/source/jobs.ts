import { joined } from './deadline.ts';
import type { CallOptions } from './options.ts';
import { pause } from './retry.ts';

/** The members of a job that a wait needs. */
interface RunningJob {
  readonly completedAt: number | null;
  readonly pollAfterMs: number;
}

export interface WaitOptions<Job> extends Pick<CallOptions, 'signal'> {
  /** Called with each state of the job that is read, the last one included. */
  readonly onProgress?: ((job: Job) => void) | undefined;
}

const defaultPollMs = 1_000;
/** Bounds the delay that the service proposes. */
const [minPollMs, maxPollMs] = [50, 30_000];

/**
 * Reads a job until it has ended, whatever its status is then, and returns it. Throws what a read throws, and the reason
 * of the signal of the call or of the client.
 */
export async function waitForJob<Job extends RunningJob>(
  read: () => Promise<Job>,
  { signal, onProgress }: WaitOptions<Job>,
  ofClient: AbortSignal | undefined,
): Promise<Job> {
  const { controller, leave } = joined([signal, ofClient]);
  try {
    for (;;) {
      const job = await read();
      onProgress?.(job);
      if (job.completedAt !== null) return job;
      const { pollAfterMs = defaultPollMs } = job as Partial<RunningJob>;
      await pause(Math.min(Math.max(pollAfterMs, minPollMs), maxPollMs), controller.signal);
    }
  } finally {
    leave();
  }
}
