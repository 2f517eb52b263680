import { foreignMemory } from './yjs-limits.ts';
import { YjsThread } from './yjs-thread-runner.ts';
import type { YjsWork } from './yjs-work.ts';

/*
 * Entry point of a process of yjs-process-runner.ts. The work runs in a thread, so this process ends with its parent even
 * while the thread is busy.
 */

const thread = new YjsThread(foreignMemory);

// The parent ends this process. A terminal sends its signals to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (work: YjsWork) => void thread.run(work).then((response) => process.send?.(response)));
if (await thread.ready) process.send?.('ready');
else process.exit(1);
