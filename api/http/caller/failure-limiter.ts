import { LRUCache } from 'lru-cache';
import type { CountedFailures } from '../../../domain/credentials/count-failures.ts';
import { networkOf } from './caller-network.ts';
import { maxCallers } from './rate-limiter.ts';

export interface FailureLimiterOptions {
  /** Max failures per window; further ones are refused. 0: no limit. */
  readonly limit: number;
  /** Adds failures to those of all processes. While it fails, this process counts alone. */
  readonly count: (
    failures: ReadonlyMap<string, number>,
    windowMs: number,
  ) => Promise<ReadonlyMap<string, CountedFailures>>;
}

/** Milliseconds from a caller's first failure to the end of its window. */
const windowMs = 60_000;

interface Batch {
  readonly failures: Map<string, number>;
  readonly counted: Promise<ReadonlyMap<string, CountedFailures> | undefined>;
}

/**
 * Counts wrong credentials per caller. Up to the limit, each failure is counted in the database, in one statement with
 * those that arrive while an earlier count runs. Beyond it, a caller costs no statement until its window ends.
 */
export class FailureLimiter {
  readonly #options: FailureLimiterOptions;
  /** Failures of all processes, or of this one while their count is unknown. */
  readonly #failures: LRUCache<string, number>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Batch | undefined;

  /** `clock` returns milliseconds. */
  constructor(options: FailureLimiterOptions, clock: { now(): number } = performance) {
    this.#options = options;
    // A further failure does not extend the window.
    this.#failures = new LRUCache({
      max: maxCallers,
      ttl: windowMs,
      noUpdateTTL: true,
      perf: clock,
      ttlResolution: 0,
    });
  }

  /** Counts a failure. Returns the seconds to wait when it exceeds the limit, else 0. */
  async fail(address: string): Promise<number> {
    const { limit } = this.#options;
    if (limit === 0) return 0;
    const caller = networkOf(address);
    const own = (this.#failures.get(caller) ?? 0) + 1;
    this.#failures.set(caller, own);
    if (own <= limit) {
      const all = await this.#countWithAll(caller);
      if (all === undefined) return 0;
      // An update would keep the former window.
      this.#failures.delete(caller);
      this.#failures.set(caller, all.failures, { ttl: Math.max(1, all.endsInMs) });
      if (all.failures <= limit) return 0;
    }
    const endsInMs = Math.min(windowMs, this.#failures.getRemainingTTL(caller));
    return Math.max(1, Math.ceil(endsInMs / 1_000));
  }

  /** Returns the failures of all processes up to this one; undefined when they are unknown. */
  async #countWithAll(caller: string): Promise<CountedFailures | undefined> {
    const { failures, counted } = (this.#next ??= this.#batch());
    const position = (failures.get(caller) ?? 0) + 1;
    failures.set(caller, position);
    const found = (await counted)?.get(caller);
    const later = (failures.get(caller) ?? position) - position;
    return found && { ...found, failures: found.failures - later };
  }

  #batch(): Batch {
    const failures = new Map<string, number>();
    const counted = this.#running
      .then(async () => {
        this.#next = undefined;
        return this.#options.count(failures, windowMs);
      })
      .catch(() => undefined);
    this.#running = counted;
    return { failures, counted };
  }
}
