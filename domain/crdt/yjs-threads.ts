import { Worker } from 'node:worker_threads';
import { DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { transferableBuffers } from './transferable-buffers.ts';
import type { YjsOutcome, YjsWork } from './yjs-work.ts';

/** Max time of one call; a thread that exceeds it is terminated. */
const maxWorkMs = 2_000;

/** Max wait for a free thread. */
export const maxWaitMs = 10_000;

const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 } as const;

/** `too-costly`: exceeded the time or memory limit. */
export type YjsResponse = YjsOutcome | { readonly refused: 'too-costly' };

interface Waiting {
  readonly owner: string;
  readonly take: (thread: YjsThread) => void;
}

/**
 * Runs Yjs in threads. A thread over its time or memory limit is terminated and replaced, so no input can block or
 * exhaust this process. One owner never holds all threads.
 */
export class YjsThreadPool {
  readonly #size: number;
  readonly #idle: YjsThread[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #taken = new Map<string, number>();
  #living = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Throws UNAVAILABLE when no thread is free within `maxWaitMs`. */
  async run(owner: string, work: YjsWork): Promise<YjsResponse> {
    const thread = this.#free(owner) ?? (await this.#wait(owner));
    try {
      return await thread.run(work);
    } finally {
      this.#release(owner, thread);
    }
  }

  #mayTake(owner: string): boolean {
    return (this.#taken.get(owner) ?? 0) < Math.max(1, this.#size - 1);
  }

  #count(owner: string, change: 1 | -1): void {
    const count = (this.#taken.get(owner) ?? 0) + change;
    if (count === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, count);
  }

  #free(owner: string): YjsThread | undefined {
    if (!this.#mayTake(owner)) return undefined;
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.alive) {
        this.#count(owner, 1);
        return idle;
      }
      this.#living -= 1;
    }
    if (this.#living === this.#size) return undefined;
    this.#living += 1;
    this.#count(owner, 1);
    return new YjsThread();
  }

  async #wait(owner: string): Promise<YjsThread> {
    return new Promise<YjsThread>((resolve, reject) => {
      const waiting = {
        owner,
        take: (thread: YjsThread): void => {
          clearTimeout(timer);
          resolve(thread);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new DomainError('UNAVAILABLE', messages.unavailable));
      }, maxWaitMs);
      this.#waiting.push(waiting);
    });
  }

  #release(owner: string, thread: YjsThread): void {
    this.#count(owner, -1);
    const usable = thread.alive ? thread : undefined;
    const index = this.#waiting.findIndex((waiting) => this.#mayTake(waiting.owner));
    const [next] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (next !== undefined) {
      this.#count(next.owner, 1);
      next.take(usable ?? new YjsThread());
    } else if (usable !== undefined) this.#idle.push(usable);
    else this.#living -= 1;
  }
}

class YjsThread {
  readonly #worker = new Worker(new URL('yjs-thread.ts', import.meta.url), { resourceLimits: memory });
  readonly #ready: Promise<boolean>;
  #alive = true;

  constructor() {
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
      const end = (response: YjsResponse): void => {
        clearTimeout(timer);
        worker.off('message', end);
        worker.off('exit', onExit);
        resolve(response);
      };
      const onExit = (): void => end({ refused: 'too-costly' });
      const timer = setTimeout(() => {
        this.#alive = false;
        void worker.terminate();
        onExit();
      }, maxWorkMs);
      worker.on('message', end);
      worker.on('exit', onExit);
      worker.postMessage(work, transferableBuffers(transferableParts(work)));
    });
  }
}

/** The buffers of a call, which this thread does not use again. */
function transferableParts({ base, change }: YjsWork): Uint8Array[] {
  if (change.kind === 'none') return base.map(({ bytes }) => bytes);
  return change.kind === 'replace' ? [change.json] : [];
}

/**
 * The threads of this process, started on demand. Bytes from clients have their own pool: costly ones must not delay
 * readers of stored content.
 */
const threads = { known: new YjsThreadPool(3), foreign: new YjsThreadPool(2) } as const;

/** Runs Yjs in a thread, with the API key as owner. Throws UNAVAILABLE when no thread is free within 10 s. */
export async function runInThread({ id }: Tenant, work: YjsWork): Promise<YjsResponse> {
  return threads[work.change.kind === 'merge' ? 'foreign' : 'known'].run(id, work);
}
