import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Tokens left and when the bucket is full again, for the headers of every response to a known key. */
export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly reset: number;
  /** Seconds until one more request is allowed; 0 when one is. */
  readonly retryAfter: number;
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** Callers that a limiter remembers; one more evicts the caller that it has not seen for the longest time. */
const maxCallers = 20_000;

/** A token bucket per API key, in this process only. Times are milliseconds of `performance.now()`. */
export class RateLimiter {
  readonly #buckets: LRUCache<string, Bucket>;
  readonly #perSecond: number;
  readonly #burst: number;

  constructor(perSecond: number, burst: number, max = maxCallers) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(burst, 1);
    this.#buckets = new LRUCache({ max });
  }

  get off(): boolean {
    return this.#perSecond === 0;
  }

  take(key: string, now: number = performance.now()): RateState {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at: now };
    const tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    this.#buckets.set(key, { tokens: left, at: now });
    return {
      allowed,
      limit: this.#burst,
      remaining: Math.floor(left),
      reset: Math.ceil((this.#burst - left) / this.#perSecond),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / this.#perSecond)),
    };
  }
}

export interface FailureLimiterOptions {
  /** Milliseconds from a caller's first failure to the end of its count. */
  readonly windowMs?: number;
  readonly maxCallers?: number;
}

/** Counts wrong credentials by caller, in this process only. Right credentials never reach it. */
export class FailureLimiter {
  readonly #failures: LRUCache<string, number>;
  readonly #limit: number;

  constructor(
    limit: number,
    { windowMs = 60_000, maxCallers: max = maxCallers }: FailureLimiterOptions = {},
  ) {
    this.#limit = limit;
    // A further failure counts, but does not extend the window.
    this.#failures = new LRUCache({ max, ttl: windowMs, noUpdateTTL: true });
  }

  /** Seconds to wait when this failure exceeds the limit, else 0. */
  fail(address: string): number {
    if (this.#limit === 0) return 0;
    const caller = callerOf(address);
    const count = (this.#failures.get(caller) ?? 0) + 1;
    this.#failures.set(caller, count);
    if (count <= this.#limit) return 0;
    return Math.max(1, Math.ceil(this.#failures.getRemainingTTL(caller) / 1_000));
  }
}

/**
 * Who is behind an address: the /64 network of IPv6, which one customer of a provider has whole, and the address of IPv4,
 * also where IPv6 maps it (`::ffff:192.0.2.1`).
 */
function callerOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return 'parts' in parsed ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
