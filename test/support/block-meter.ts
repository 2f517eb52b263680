import { isMainThread } from 'node:worker_threads';

/*
 * For `node --import`: measures the longest block of the event loop since SIGUSR2 in CPU time, which a busy machine does not lengthen. On a stop signal, prints `longest block: 12 ms`.
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
