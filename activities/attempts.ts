import pLimit from 'p-limit';
import { throwFailures } from '../platform/process/throw-failures.ts';
import { reportProgress } from './report-progress.ts';

/** Concurrent calls. */
const maxConcurrent = 20;

/** Consecutive failures after which Temporal counts as unavailable: each may take seconds. */
const maxFailures = 20;

/** Calls Temporal for items of several pages, 20 at a time. An item that fails does not stop the others. */
export class Attempts<Item> {
  readonly #act: (item: Item) => Promise<void>;
  readonly #limit = pLimit(maxConcurrent);
  #failuresInARow = 0;
  readonly #failures: unknown[] = [];

  constructor(act: (item: Item) => Promise<void>) {
    this.#act = act;
  }

  /** True after 20 consecutive failures: no further item is attempted. */
  get stopped(): boolean {
    return this.#failuresInARow >= maxFailures;
  }

  /** Returns the items that succeeded. */
  async all(items: readonly Item[]): Promise<readonly Item[]> {
    const done: Item[] = [];
    try {
      await this.#limit.map(items, async (item) => {
        if (this.stopped) return;
        if (await this.#succeeds(item)) done.push(item);
        reportProgress(this.#limit.pendingCount);
      });
    } finally {
      // After a cancellation, attempts no further item.
      this.#limit.clearQueue();
    }
    return done;
  }

  async #succeeds(item: Item): Promise<boolean> {
    try {
      await this.#act(item);
      this.#failuresInARow = 0;
      return true;
    } catch (error) {
      if (this.#failures.length < maxFailures) this.#failures.push(error);
      this.#failuresInARow += 1;
      return false;
    }
  }

  /** Throws the first 20 failures. Call it at the end. */
  throwFailures(): void {
    throwFailures(this.#failures);
  }
}
