import { LRUCache } from 'lru-cache';
import { callerOf } from './caller-network.ts';
import { maxCallers } from './rate-limiter.ts';

export interface FailureLimiterOptions {
  /** From a caller's first failure to the end of its count. */
  readonly windowMs?: number;
  readonly maxCallers?: number;
}

/** Counts wrong credentials per caller, local to this process. */
export class FailureLimiter {
  readonly #failures: LRUCache<string, number>;
  readonly #limit: number;

  constructor(
    limit: number,
    { windowMs = 60_000, maxCallers: max = maxCallers }: FailureLimiterOptions = {},
  ) {
    this.#limit = limit;
    // A further failure does not extend the window.
    this.#failures = new LRUCache({ max, ttl: windowMs, noUpdateTTL: true });
  }

  /** Counts a failure. Returns the seconds to wait when it exceeds the limit, else 0. */
  fail(address: string): number {
    if (this.#limit === 0) return 0;
    const caller = callerOf(address);
    const count = (this.#failures.get(caller) ?? 0) + 1;
    this.#failures.set(caller, count);
    if (count <= this.#limit) return 0;
    return Math.max(1, Math.ceil(this.#failures.getRemainingTTL(caller) / 1_000));
  }
}
