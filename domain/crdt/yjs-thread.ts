import { parentPort } from 'node:worker_threads';
import { transferableBuffers } from './transferable-buffers.ts';
import { runYjsWork, type YjsOutcome, type YjsWork } from './yjs-work.ts';

/* Entry point of a worker thread of yjs-threads.ts. */

function response(outcome: YjsOutcome): void {
  const made = 'result' in outcome ? [outcome.result.decoded, outcome.result.state?.bytes] : [];
  parentPort?.postMessage(outcome, transferableBuffers(made));
}

parentPort?.on('message', (work: YjsWork) => response(runYjsWork(work)));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
parentPort?.postMessage('ready');
