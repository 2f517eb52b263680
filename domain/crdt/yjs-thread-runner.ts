import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { cpuMs, maxElapsedMs, maxWorkMs, type ThreadMemory } from './yjs-limits.ts';
import type { YjsResponse, YjsRunner } from './yjs-pool.ts';
import type { YjsWork } from './yjs-work.ts';

const stackMebibytes = 4;

/** Time between two readings of the CPU time. */
const minPauseMs = 50;

/**
 * Runs Yjs in a thread. A thread over its time limit is terminated, and one over its memory limit in most cases. If a
 * single allocation fails, V8 ends the whole process.
 */
export class YjsThread implements YjsRunner {
  readonly #worker: Worker;
  readonly #ready: Promise<boolean>;
  /** The CPU time of the thread at the start of the current work, written by the thread. */
  readonly #begun = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  #alive = true;

  constructor({ oldMebibytes, youngMebibytes }: ThreadMemory) {
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

  async run(work: YjsWork): Promise<YjsResponse> {
    this.#worker.ref();
    try {
      if (!(await this.#ready)) throw new Error('Yjs worker thread exited before it was ready');
      return await this.#response(work);
    } finally {
      this.#worker.unref();
    }
  }

  async #response(work: YjsWork): Promise<YjsResponse> {
    const worker = this.#worker;
    return new Promise<YjsResponse>((resolve) => {
      const over = new AbortController();
      const end = (response: YjsResponse): void => {
        over.abort();
        worker.off('message', end);
        worker.off('exit', onExit);
        resolve(response);
      };
      const onExit = (): void => end({ refused: 'too-costly' });
      worker.on('message', end);
      worker.on('exit', onExit);
      void this.#whenTooLong(over.signal).then((isTooLong) => {
        if (!isTooLong) return;
        this.#alive = false;
        void worker.terminate();
        onExit();
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(work);
    });
  }

  /** Resolves with true when the work exceeds a time limit, and with false when it has ended. */
  async #whenTooLong(over: AbortSignal): Promise<boolean> {
    const wait = async (ms: number): Promise<number> =>
      pause(ms, Infinity, { signal: over }).catch(() => Infinity);
    const late = wait(maxElapsedMs);
    let left = maxWorkMs;
    while (left > 0) {
      await Promise.race([late, wait(Math.max(left, minPauseMs))]);
      if (over.aborted) return false;
      // A thread in one long call of V8 does not respond.
      left = maxWorkMs - (await Promise.race([late, this.#spentMs()]));
    }
    return !over.aborted;
  }

  /** Returns the CPU time of the current work. */
  async #spentMs(): Promise<number> {
    try {
      return cpuMs(await this.#worker.cpuUsage()) - (this.#begun[0] ?? 0);
    } catch {
      return Infinity;
    }
  }
}
