import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

/* In a process of its own: flags of V8 hold for a whole process. */

const runner = new URL('../../../domain/crdt/yjs-thread-runner.ts', import.meta.url);

const script = `
  import { getHeapStatistics } from 'node:v8';
  import { Worker } from 'node:worker_threads';
  import { YjsThread } from ${JSON.stringify(runner.href)};
  const before = getHeapStatistics().heap_size_limit;
  new YjsThread({ oldMebibytes: 96, youngMebibytes: 12 });
  const limited = new Worker(
    'import { parentPort } from "node:worker_threads"; import { getHeapStatistics } from "node:v8";' +
      'parentPort.postMessage(getHeapStatistics().heap_size_limit)',
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 12 } },
  );
  const limit = await new Promise((resolve) => limited.once('message', resolve));
  console.log(JSON.stringify({ main: before === getHeapStatistics().heap_size_limit, limit: limit / 1048576 }));
  process.exit();
`;

describe('a thread of Yjs', () => {
  it('has the heap of its limits where flags give the main thread another', async () => {
    const flags = ['--max-old-space-size=512', '--max-semi-space-size=16'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...flags,
      '--input-type=module',
      '--eval',
      script,
    ]);
    const { main, limit } = JSON.parse(stdout) as { main: boolean; limit: number };
    expect(main).toBe(true);
    // V8 adds some of the young generation.
    expect(limit).toBeLessThanOrEqual(128);
  });
});
