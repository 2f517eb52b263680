import { YjsThread } from './yjs-thread-runner.ts';
import type { YjsWork } from './yjs-work.ts';

/*
 * Entry point of a process of yjs-process-runner.ts, whose arguments are the heap limits of the thread in MiB. The work
 * runs in a thread, so this process ends with its parent even while the thread is busy.
 */

const [oldMebibytes, youngMebibytes] = process.argv.slice(2).map(Number);
if (oldMebibytes === undefined || youngMebibytes === undefined) throw new Error('missing heap limits');
const thread = new YjsThread({ oldMebibytes, youngMebibytes }, { isAlone: true });

// The parent ends this process. A terminal sends its signals to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (work: YjsWork) => void thread.run(work).then((response) => process.send?.(response)));
if (await thread.ready) process.send?.('ready');
else process.exit(1);
