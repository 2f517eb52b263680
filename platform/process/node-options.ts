/*
 * By default V8 sizes its heap by the machine and keeps hundreds of megabytes of garbage. With these limits it collects
 * sooner, and the largest batches take more CPU. The memory limits in docker-compose.yml are the sum of this heap, the
 * budgets outside it, and Node's own memory.
 */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  'api/main.ts': ['--max-semi-space-size=16', '--max-old-space-size=512', ...forServers()],
  // A worker's objects are small and short-lived in each thread; with less space, deliveries take a fifth more CPU.
  'worker/main.ts': ['--max-semi-space-size=8', '--max-old-space-size=512', ...forServers()],
};

function forServers(): readonly string[] {
  return [
    // V8 mistakes the objects of concurrent requests for long-lived ones and allocates them where only a full GC frees
    // them. Without this option, reads by id fall from 1.02 to 0.83 of the baseline (docs/benchmarks.md).
    '--no-allocation-site-pretenuring',
    // By default V8 fully optimizes a function after 3,000 calls: tens of thousands of requests run at half speed. Without
    // this option, reads by id fall from 1.02 to 0.83 of the baseline.
    '--invocation-count-for-turbofan=500',
  ];
}

/**
 * Environment of the programs. package.json and the container image must set the same.
 *
 * - By default glibc gives each thread memory of its own, although one thread uses nearly all of it. An idle API then has
 *   201 MB, instead of 187 MB.
 * - By default it returns less to the system with each larger block that was freed. After a burst, up to 25 MB stay.
 */
export const memoryEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '1048576' } as const;

/** The Node options of a program. package.json and the container image must list the same. */
export const nodeOptionsOf = (script: string): readonly string[] => optionsOf[script] ?? [];
