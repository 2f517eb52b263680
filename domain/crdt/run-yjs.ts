import type { Tenant } from '../tenancy/tenant.ts';
import { knownMemory } from './yjs-limits.ts';
import { YjsPool, type YjsResponse } from './yjs-pool.ts';
import { YjsProcess } from './yjs-process-runner.ts';
import { YjsThread } from './yjs-thread-runner.ts';
import type { YjsWork } from './yjs-work.ts';

/**
 * Bytes of clients may exhaust the heap within one allocation, which ends the whole process: they are applied in processes
 * of their own. A merged state is what such a process returned within its limits, so threads are safe for it, and faster.
 */
const pools = {
  known: new YjsPool(3, () => new YjsThread(knownMemory)),
  foreign: new YjsPool(2, () => new YjsProcess()),
} as const;

/** Runs work in another thread or process, within limits of time and memory. */
export async function runYjs({ id }: Tenant, work: YjsWork): Promise<YjsResponse> {
  return pools[holdsForeignBytes(work) ? 'foreign' : 'known'].run(id, work);
}

/** A log was never applied as a whole: its updates are foreign. */
const holdsForeignBytes = ({ base, change }: YjsWork): boolean => change.kind === 'merge' || base.length > 1;
