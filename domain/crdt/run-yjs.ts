import type { Tenant } from '../tenancy/tenant.ts';
import { unpackedLength } from './stored-bytes.ts';
import { foreignMemory, knownMemory, maxThreadBytes, sharedMemory } from './yjs-limits.ts';
import { YjsPool, type YjsResponse } from './yjs-pool.ts';
import { YjsProcess } from './yjs-process-runner.ts';
import { YjsThread } from './yjs-thread-runner.ts';
import type { YjsWork } from './yjs-work.ts';

/**
 * Bytes of clients may exceed the heap in one allocation, which ends a whole process, so they are applied in separate
 * processes. Such a process returned each merged state within its limits, so threads are safe for it. They return the
 * content of 100 kB of blocks about 1.4 times as fast. Large states are decoded in separate processes too, so that no
 * caller fills the memory of this process with their content.
 */
const pools = {
  foreign: new YjsPool(2, () => new YjsProcess(foreignMemory)),
  large: new YjsPool(2, () => new YjsProcess(knownMemory)),
  small: new YjsPool(3, () => new YjsThread(sharedMemory)),
} as const;

/** Runs work in another thread or process, within limits of time and memory. */
export async function runYjs({ id }: Tenant, work: YjsWork): Promise<YjsResponse> {
  return pools[poolOf(work)].run(id, work);
}

function poolOf(work: YjsWork): keyof typeof pools {
  if (holdsForeignBytes(work)) return 'foreign';
  return workedOn(work) > maxThreadBytes ? 'large' : 'small';
}

/** Bytes of state, decompressed, and of new content. */
function workedOn({ base, change }: YjsWork): number {
  const sent = change.kind === 'replace' ? change.json.length : 0;
  return base.reduce((sum, stored) => sum + unpackedLength(stored), sent);
}

/** Stored updates that were never merged are foreign, too. */
const holdsForeignBytes = ({ base, change }: YjsWork): boolean => change.kind === 'merge' || base.length > 1;
