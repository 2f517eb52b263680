import { parentPort } from 'node:worker_threads';
import { memoryOf } from './thread-memory.ts';
import { doYjsWork, type YjsOutcome, type YjsWork } from './yjs-work.ts';

/* Runs in a thread of its own; see yjs-threads.ts. */

function response(outcome: YjsOutcome): void {
  const made = 'result' in outcome ? [outcome.result.decoded, outcome.result.state?.bytes] : [];
  parentPort?.postMessage(outcome, memoryOf(made));
}

parentPort?.on('message', (work: YjsWork) => response(doYjsWork(work)));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
parentPort?.postMessage('ready');
