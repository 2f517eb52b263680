import { parentPort, workerData } from 'node:worker_threads';
import { transferableBuffers } from './transferable-buffers.ts';
import { cpuMs } from './yjs-limits.ts';
import type { YjsResponse } from './yjs-pool.ts';
import { runYjsWork, type YjsWork } from './yjs-work.ts';

/* Entry point of a worker thread of yjs-thread-runner.ts. */

function respond(response: YjsResponse): void {
  const made = 'result' in response ? [response.result.decoded, response.result.state?.bytes] : [];
  parentPort?.postMessage(response, transferableBuffers(made));
}

function responseTo(work: YjsWork): YjsResponse {
  try {
    return runYjsWork(work);
  } catch (error) {
    // At a limit of V8, such as the stack's, the thread ends like one over its memory limit.
    if (error instanceof RangeError) throw error;
    return { failed: error as Error };
  }
}

const begun = workerData as Float64Array;

parentPort?.on('message', (work: YjsWork) => {
  begun[0] = cpuMs(process.threadCpuUsage());
  respond(responseTo(work));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
parentPort?.postMessage('ready');
