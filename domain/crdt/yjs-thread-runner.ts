import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { transferableBuffers } from './transferable-buffers.ts';
import { cpuMs, maxElapsedMs, maxWorkMs, type ThreadMemory } from './yjs-limits.ts';
import type { RunnerResponse, YjsRunner } from './yjs-pool.ts';
import type { YjsWork } from './yjs-work.ts';

const stackMebibytes = 4;

/** Time between two readings of the CPU time. */
const minPauseMs = 50;

/** Milliseconds in which a thread that is late reports its CPU time. */
const reportMs = 250;

let limitsHold = false;

/**
 * Lets the heap limits of threads apply: limits of the command line would override them. The heap of the main thread
 * keeps its limits, which are set at startup.
 */
function resetHeapFlags(): void {
  if (limitsHold) return;
  limitsHold = true;
  for (const flag of ['--max-old-space-size=0', '--max-semi-space-size=0']) setFlagsFromString(flag);
}

/**
 * Runs Yjs in a thread. A thread over its time limit is terminated, and one over its memory limit in most cases. If a
 * single allocation fails, V8 ends the whole process.
 */
export class YjsThread implements YjsRunner {
  readonly #worker: Worker;
  readonly #maxElapsedMs: number;
  readonly #ready: Promise<boolean>;
  /** The CPU time of the thread at the start of the current work, written by the thread. */
  readonly #begun = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  #alive = true;

  /** Whether the process does nothing else, so that its CPU time is that of the thread. */
  readonly #isAlone: boolean;

  constructor(
    { oldMebibytes, youngMebibytes }: ThreadMemory,
    {
      elapsedMs = maxElapsedMs,
      isAlone = false,
    }: { readonly elapsedMs?: number; readonly isAlone?: boolean } = {},
  ) {
    this.#isAlone = isAlone;
    this.#maxElapsedMs = elapsedMs;
    resetHeapFlags();
    this.#worker = new Worker(new URL('yjs-thread.ts', import.meta.url), {
      workerData: this.#begun,
      resourceLimits: {
        maxOldGenerationSizeMb: oldMebibytes,
        maxYoungGenerationSizeMb: youngMebibytes,
        stackSizeMb: stackMebibytes,
      },
    });
    // Only a running call keeps the process alive.
    this.#worker.unref();
    this.#worker.on('error', () => (this.#alive = false));
    this.#worker.on('exit', () => (this.#alive = false));
    this.#ready = new Promise((resolve) => {
      this.#worker.once('message', () => resolve(true));
      this.#worker.once('exit', () => resolve(false));
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves with false when the thread ended before it could take work. */
  get ready(): Promise<boolean> {
    return this.#ready;
  }

  async run(work: YjsWork): Promise<RunnerResponse> {
    this.#worker.ref();
    try {
      if (!(await this.#ready)) throw new Error('Yjs worker thread exited before it was ready');
      return await this.#response(work);
    } finally {
      this.#worker.unref();
    }
  }

  async #response(work: YjsWork): Promise<RunnerResponse> {
    const worker = this.#worker;
    return new Promise<RunnerResponse>((resolve) => {
      const over = new AbortController();
      const end = (response: RunnerResponse): void => {
        over.abort();
        worker.off('message', end);
        worker.off('exit', onExit);
        resolve(response);
      };
      const onExit = (): void => end({ refused: 'too-costly' });
      worker.on('message', end);
      worker.on('exit', onExit);
      void this.#whenTooLong(over.signal).then((refused) => {
        if (refused === undefined) return;
        this.#alive = false;
        void worker.terminate();
        end({ refused });
      });
      worker.postMessage(work, transferableBuffers(transferableParts(work)));
    });
  }

  /** Resolves with the reason when the work exceeds a time limit, and with undefined when it has ended. */
  async #whenTooLong(over: AbortSignal): Promise<'too-costly' | 'interrupted' | undefined> {
    const began = process.cpuUsage();
    const wait = async (ms: number): Promise<number> =>
      pause(ms, Infinity, { signal: over }).catch(() => Infinity);
    const late = wait(this.#maxElapsedMs);
    let spent = 0;
    while (spent < maxWorkMs) {
      await Promise.race([late, wait(Math.max(maxWorkMs - spent, minPauseMs))]);
      if (over.aborted) return undefined;
      // A thread in one long call of V8 does not respond.
      spent = await Promise.race([late, this.#spentMs()]);
    }
    // After the time limit, CPU time distinguishes expensive work from work that waited for the machine. A thread in
    // one long call does not report it.
    if (!Number.isFinite(spent)) spent = await Promise.race([wait(reportMs), this.#spentMs()]);
    if (over.aborted) return undefined;
    const unknown = this.#isAlone ? cpuMs(process.cpuUsage(began)) : 0;
    const used = Number.isFinite(spent) ? spent : unknown;
    return used < maxWorkMs ? 'interrupted' : 'too-costly';
  }

  /** Returns the CPU time of the current work. Does not return for a thread that has ended: its event `exit` follows. */
  async #spentMs(): Promise<number> {
    try {
      return cpuMs(await this.#worker.cpuUsage()) - (this.#begun[0] ?? 0);
    } catch {
      return new Promise<never>(() => undefined);
    }
  }
}

/** Returns the buffers of a call, which this thread does not use again. */
function transferableParts({ base, change }: YjsWork): Uint8Array[] {
  if (change.kind === 'none') return base.map(({ bytes }) => bytes);
  return change.kind === 'replace' ? [change.json] : [];
}
