import type { Tenant } from '../tenancy/tenant.ts';
import { foreignMemory, knownMemory } from './yjs-limits.ts';
import { YjsPool, type YjsResponse } from './yjs-pool.ts';
import { YjsProcess } from './yjs-process-runner.ts';
import type { YjsWork } from './yjs-work.ts';

/**
 * Separate processes: an allocation that exceeds the heap ends a whole process, and the flags of this process would
 * override the heap limits of its threads. Bytes of clients never occupy the processes that read stored states.
 */
const pools = {
  known: new YjsPool(3, () => new YjsProcess(knownMemory)),
  foreign: new YjsPool(2, () => new YjsProcess(foreignMemory)),
} as const;

/** Runs work in another process, within limits of time and memory. */
export async function runYjs({ id }: Tenant, work: YjsWork): Promise<YjsResponse> {
  return pools[holdsForeignBytes(work) ? 'foreign' : 'known'].run(id, work);
}

/** Stored updates that were never merged are foreign, too. */
const holdsForeignBytes = ({ base, change }: YjsWork): boolean => change.kind === 'merge' || base.length > 1;
