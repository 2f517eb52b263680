import { parentPort } from 'node:worker_threads';
import { doYjsWork, type YjsOutcome, type YjsWork } from './yjs-work.ts';

/* Runs in a thread of its own; see yjs-threads.ts. */

function answer(message: YjsOutcome | 'ready'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(message);
}

parentPort?.on('message', (work: YjsWork) => answer(doYjsWork(work)));
answer('ready');
