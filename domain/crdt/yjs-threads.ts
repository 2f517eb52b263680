import { Worker } from 'node:worker_threads';
import { DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { memoryOf } from './thread-memory.ts';
import type { YjsOutcome, YjsWork } from './yjs-work.ts';

/** Longest time that one piece of work may take, in milliseconds. */
const longest = 2_000;

/** Longest time that it may wait for a thread. */
export const longestWait = 10_000;

const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 } as const;

/** What was not done within time and memory. */
export type YjsResponse = YjsOutcome | { readonly refused: 'too-costly' };

interface Waiting {
  readonly owner: string;
  readonly take: (thread: YjsThread) => void;
}

/**
 * Threads that read Yjs bytes from outside. One that takes too long or too much memory is ended, and another takes its
 * place: no bytes, however made, stop this process or fill its memory. One owner never has all threads.
 */
export class YjsThreads {
  readonly #size: number;
  readonly #idle: YjsThread[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #taken = new Map<string, number>();
  #living = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Throws UNAVAILABLE when no thread becomes free. */
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
      }, longestWait);
      this.#waiting.push(waiting);
    });
  }

  #release(owner: string, thread: YjsThread): void {
    this.#count(owner, -1);
    const usable = thread.alive ? thread : undefined;
    const place = this.#waiting.findIndex((waiting) => this.#mayTake(waiting.owner));
    const [next] = place === -1 ? [] : this.#waiting.splice(place, 1);
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

  async run(work: YjsWork): Promise<YjsResponse> {
    this.#worker.ref();
    try {
      if (!(await this.#ready)) throw new Error('A thread for Yjs did not start.');
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
        worker.off('exit', died);
        resolve(response);
      };
      const died = (): void => end({ refused: 'too-costly' });
      const timer = setTimeout(() => {
        this.#alive = false;
        void worker.terminate();
        died();
      }, longest);
      worker.on('message', end);
      worker.on('exit', died);
      worker.postMessage(work, memoryOf(neededNoMore(work)));
    });
  }
}

/** What is only read, or was made for the thread, is needed by nobody else. */
function neededNoMore({ base, change }: YjsWork): Uint8Array[] {
  if (change.kind === 'none') return base.map(({ bytes }) => bytes);
  return change.kind === 'replace' ? [change.json] : [];
}

/**
 * The threads of this process; one starts with the first work that finds none free. What we have read before is decoded
 * apart from new bytes: those may keep their threads busy, and must not keep readers waiting.
 */
const threads = { known: new YjsThreads(3), foreign: new YjsThreads(2) } as const;

export async function doInThread({ id }: Tenant, work: YjsWork): Promise<YjsResponse> {
  return threads[work.change.kind === 'merge' ? 'foreign' : 'known'].run(id, work);
}
