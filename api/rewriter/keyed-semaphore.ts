/** Limits concurrent holders per key; others wait in order of arrival, up to `maxWaiting`. */
export class KeyedSemaphore {
  readonly #maxConcurrent: number;
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, Queue>();

  constructor({
    maxConcurrent,
    maxWaiting,
  }: {
    readonly maxConcurrent: number;
    readonly maxWaiting: number;
  }) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves with the release function. Returns undefined when too many wait; rejects when `signal` aborts first. */
  async acquire(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const queue = this.#queueOf(key);
    if (queue.waiting.size >= this.#maxWaiting) return undefined;
    if (queue.held < this.#maxConcurrent) queue.held += 1;
    else await waitIn(queue, signal);
    return () => {
      this.#release(key, queue);
    };
  }

  #queueOf(key: string): Queue {
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const queue: Queue = { held: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    return queue;
  }

  #release(key: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next === undefined) queue.held -= 1;
    else next();
    if (queue.held === 0) this.#queues.delete(key);
  }
}

interface Queue {
  held: number;
  /** Wakes each waiter, in order of arrival. */
  readonly waiting: Set<() => void>;
}

async function waitIn({ waiting }: Queue, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const woken = (): void => {
      waiting.delete(woken);
      signal.removeEventListener('abort', aborted);
      resolve();
    };
    const aborted = (): void => {
      waiting.delete(woken);
      reject(signal.reason as Error);
    };
    waiting.add(woken);
    signal.addEventListener('abort', aborted, { once: true });
  });
}
