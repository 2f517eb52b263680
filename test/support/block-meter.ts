import { isMainThread } from 'node:worker_threads';

/*
 * For `node --import`: measures how long the event loop is blocked at most, from a SIGUSR2 on, and writes it as the process
 * is told to end: `longest block: 12 ms`. Counted in time of the processor, which a busy machine does not lengthen.
 */
if (isMainThread) {
  let before = process.threadCpuUsage();
  let longest = 0;
  const look = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user - before.user + now.system - before.system) / 1_000);
    before = now;
    setTimeout(look, 0).unref();
  };
  process.once('SIGUSR2', () => {
    before = process.threadCpuUsage();
    setTimeout(look, 0).unref();
  });
  process.once('SIGTERM', () => process.stderr.write(`longest block: ${longest.toFixed(0)} ms\n`));
}
