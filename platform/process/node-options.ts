/*
 * V8, left alone, sizes its heap by the machine and lets hundreds of megabytes of what is done with lie. Told less, it
 * collects sooner, at some CPU for the largest batches.
 * The containers' memory limits in docker-compose.yml follow: heap, budgets outside of it, and Node's own share.
 */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  'api/main.ts': ['--max-semi-space-size=16', '--max-old-space-size=512', ...forServers()],
  // A worker's objects are small and gone soon, in each of its threads; where it delivers, less room is a fifth of its CPU.
  'worker/main.ts': ['--max-semi-space-size=8', '--max-old-space-size=512', ...forServers()],
};

function forServers(): readonly string[] {
  return [
    // Objects live as long as a request. V8 takes what many requests under way hold for long-lived, and puts all of its
    // kind where only a full collection finds it, and whatever it refers to: a fifth of a read's CPU.
    '--no-allocation-site-pretenuring',
    // V8 waits for 3,000 calls of a function before it optimises it fully: tens of thousands of requests at half the speed.
    '--invocation-count-for-turbofan=500',
  ];
}

/** What a program of ours is started with on Node, wherever it is started: package.json and the container image say the same. */
export const nodeOptionsOf = (script: string): readonly string[] => optionsOf[script] ?? [];
