import type { Tenant } from '../tenancy/tenant.ts';
import { knownMemory } from './yjs-limits.ts';
import { YjsPool, type YjsResponse } from './yjs-pool.ts';
import { YjsProcess } from './yjs-process-runner.ts';
import { YjsThread } from './yjs-thread-runner.ts';
import type { YjsWork } from './yjs-work.ts';

/**
 * Bytes of clients may exceed the heap in one allocation, which ends a whole process, so they are applied in separate
 * processes. Such a process returned each merged state within its limits, so threads, which are faster, are safe for it.
 */
const pools = {
  known: new YjsPool(3, () => new YjsThread(knownMemory)),
  foreign: new YjsPool(2, () => new YjsProcess()),
} as const;

/** Runs work in another thread or process, within limits of time and memory. */
export async function runYjs({ id }: Tenant, work: YjsWork): Promise<YjsResponse> {
  return pools[holdsForeignBytes(work) ? 'foreign' : 'known'].run(id, work);
}

/** Stored updates that were never merged are foreign, too. */
const holdsForeignBytes = ({ base, change }: YjsWork): boolean => change.kind === 'merge' || base.length > 1;
