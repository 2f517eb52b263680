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
  tokens: number;
  at: number;
}

/** Idle buckets are full ones: they are forgotten when there are more than this. */
const mostBuckets = 20_000;

/** A token bucket a key, in this process only. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #perSecond: number;
  readonly #burst: number;

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(burst, 1);
  }

  get off(): boolean {
    return this.#perSecond === 0;
  }

  take(key: string, now: number = performance.now()): RateState {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at: now };
    const tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    if (!this.#buckets.has(key) && this.#buckets.size >= mostBuckets) this.#forgetFull(now);
    this.#buckets.set(key, { tokens: left, at: now });
    return {
      allowed,
      limit: this.#burst,
      remaining: Math.floor(left),
      reset: Math.ceil((this.#burst - left) / this.#perSecond),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / this.#perSecond)),
    };
  }

  #forgetFull(now: number): void {
    for (const [key, { tokens, at }] of this.#buckets) {
      if (tokens + ((now - at) / 1_000) * this.#perSecond >= this.#burst) this.#buckets.delete(key);
    }
    if (this.#buckets.size >= mostBuckets) this.#buckets.clear();
  }
}

const failureWindow = 60_000;

/** Counts wrong credentials by address. Right ones are never asked here, so they are never refused by it. */
export class FailureLimiter {
  readonly #failures = new Map<string, { count: number; until: number }>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Seconds to wait when this failure is one too many, else 0. */
  fail(address: string, now: number = Date.now()): number {
    if (this.#limit === 0) return 0;
    const known = this.#failures.get(address);
    const entry = known !== undefined && known.until > now ? known : { count: 0, until: now + failureWindow };
    entry.count += 1;
    if (this.#failures.size >= mostBuckets) this.#failures.clear();
    this.#failures.set(address, entry);
    return entry.count > this.#limit ? Math.max(1, Math.ceil((entry.until - now) / 1_000)) : 0;
  }
}
