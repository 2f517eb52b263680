import { Worker } from 'node:worker_threads';
import { DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { YjsOutcome, YjsWork } from './yjs-work.ts';

/** Longest time that one piece of work may take, in milliseconds. */
const longest = 2_000;

/** Longest time that it may wait for a thread. */
export const longestWait = 10_000;

const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 } as const;

/** What was not done within time and memory. */
export type YjsAnswer = YjsOutcome | { readonly refused: 'too-costly' };

interface Waiting {
  readonly take: (thread: YjsThread) => void;
}

/**
 * Threads that read Yjs bytes from outside. One that takes too long or too much memory is ended, and another takes its
 * place: no bytes, however made, stop this process or fill its memory.
 */
export class YjsThreads {
  readonly #size: number;
  readonly #idle: YjsThread[] = [];
  readonly #waiting: Waiting[] = [];
  #living = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Throws UNAVAILABLE when no thread becomes free. */
  async run(work: YjsWork): Promise<YjsAnswer> {
    const thread = await this.#take();
    try {
      return await thread.run(work);
    } finally {
      this.#release(thread);
    }
  }

  async #take(): Promise<YjsThread> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.alive) return idle;
      this.#living -= 1;
    }
    if (this.#living < this.#size) {
      this.#living += 1;
      return new YjsThread();
    }
    return new Promise<YjsThread>((resolve, reject) => {
      const waiting = {
        take: (thread: YjsThread): void => {
          clearTimeout(timer);
          resolve(thread);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new DomainError('UNAVAILABLE', messages.unavailable));
      }, longestWait);
      this.#waiting.push(waiting);
    });
  }

  #release(thread: YjsThread): void {
    const usable = thread.alive ? thread : undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) next.take(usable ?? new YjsThread());
    else if (usable !== undefined) this.#idle.push(usable);
    else this.#living -= 1;
  }
}

class YjsThread {
  readonly #worker = new Worker(new URL('yjs-thread.ts', import.meta.url), { resourceLimits: memory });
  readonly #ready: Promise<boolean>;
  #alive = true;

  constructor() {
    // Keeps no process alive; a call that waits for it does.
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

  async run(work: YjsWork): Promise<YjsAnswer> {
    this.#worker.ref();
    try {
      if (!(await this.#ready)) throw new Error('A thread for Yjs did not start.');
      return await this.#answer(work);
    } finally {
      this.#worker.unref();
    }
  }

  async #answer(work: YjsWork): Promise<YjsAnswer> {
    const worker = this.#worker;
    return new Promise<YjsAnswer>((resolve) => {
      const end = (answer: YjsAnswer): void => {
        clearTimeout(timer);
        worker.off('message', end);
        worker.off('exit', died);
        resolve(answer);
      };
      const died = (): void => end({ refused: 'too-costly' });
      const timer = setTimeout(() => {
        this.#alive = false;
        void worker.terminate();
        died();
      }, longest);
      worker.on('message', end);
      worker.on('exit', died);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
      worker.postMessage(work);
    });
  }
}

/** Those of this process; a thread starts with the first work that finds none free. */
export const yjsThreads = new YjsThreads(2);
