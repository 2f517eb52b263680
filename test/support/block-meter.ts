import { isMainThread } from 'node:worker_threads';

/** What the meter prints as JSON after `block meter: `, in milliseconds of CPU time. */
export interface MeteredBlocks {
  /** The longest block of the event loop since SIGUSR2. */
  readonly longestMs: number;
  /** A fixed parse, as a measure of the processor. */
  readonly referenceMs: number;
}

/** Returns the CPU time of this thread in milliseconds. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Parses 5 MB of JSON in one turn. */
function measureReference(): number {
  const text = JSON.stringify(
    Array.from({ length: 100_000 }, (_, at) => ({ id: at, name: `name ${String(at)}`, tags: ['a', 'b'] })),
  );
  const before = cpuMs();
  JSON.parse(text);
  return cpuMs() - before;
}

/*
 * For `node --import`: measures blocks of the event loop since SIGUSR2 in CPU time, which a busy machine does not lengthen, and
 * prints them on a stop signal.
 */
if (isMainThread) {
  let before = 0;
  let longestMs = 0;
  let referenceMs = 0;
  const look = (): void => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - before);
    before = now;
    setTimeout(look, 0).unref();
  };
  process.once('SIGUSR2', () => {
    referenceMs = measureReference();
    before = cpuMs();
    setTimeout(look, 0).unref();
  });
  process.once('SIGTERM', () => {
    // Measured again, because the machine may have become slower meanwhile.
    const measured: MeteredBlocks = { longestMs, referenceMs: Math.max(referenceMs, measureReference()) };
    process.stderr.write(`block meter: ${JSON.stringify(measured)}\n`);
  });
}
