import { parentPort, workerData } from 'node:worker_threads';
import { transferableBuffers } from './transferable-buffers.ts';
import { cpuMs } from './yjs-limits.ts';
import { runYjsWork, type YjsOutcome, type YjsWork } from './yjs-work.ts';

/* Entry point of a worker thread of yjs-thread-runner.ts. */

function response(outcome: YjsOutcome): void {
  const made = 'result' in outcome ? [outcome.result.decoded, outcome.result.state?.bytes] : [];
  parentPort?.postMessage(outcome, transferableBuffers(made));
}

const begun = workerData as Float64Array;

parentPort?.on('message', (work: YjsWork) => {
  begun[0] = cpuMs(process.threadCpuUsage());
  response(runYjsWork(work));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
parentPort?.postMessage('ready');
