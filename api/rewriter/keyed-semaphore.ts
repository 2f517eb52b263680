/**
 * Limits concurrent holders per key; others wait in order of arrival, up to `maxWaiting`. A key's own limit holds from the
 * call that brings it.
 */
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
  async acquire(
    key: string,
    signal: AbortSignal,
    maxConcurrent = this.#maxConcurrent,
  ): Promise<(() => void) | undefined> {
    const queue = this.#queueOf(key);
    queue.maxConcurrent = maxConcurrent;
    admitWaiting(queue);
    if (queue.waiting.size >= this.#maxWaiting) return undefined;
    if (queue.held < maxConcurrent) queue.held += 1;
    else await waitIn(queue, signal);
    return () => {
      this.#release(key, queue);
    };
  }

  #queueOf(key: string): Queue {
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const queue: Queue = { held: 0, maxConcurrent: this.#maxConcurrent, waiting: new Set() };
    this.#queues.set(key, queue);
    return queue;
  }

  #release(key: string, queue: Queue): void {
    queue.held -= 1;
    admitWaiting(queue);
    if (queue.held === 0) this.#queues.delete(key);
  }
}

interface Queue {
  held: number;
  maxConcurrent: number;
  /** Wakes each waiter, in order of arrival. */
  readonly waiting: Set<() => void>;
}

/** Wakes as many waiters as the limit admits; each then holds the key. */
function admitWaiting(queue: Queue): void {
  for (const admit of queue.waiting) {
    if (queue.held >= queue.maxConcurrent) return;
    queue.held += 1;
    admit();
  }
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
