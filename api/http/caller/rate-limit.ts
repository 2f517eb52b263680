import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { deploymentLimits, type CallerLimits } from '../../../domain/tenancy/key-limits.ts';

/** State of a token bucket, for the `RateLimit-…` headers. */
export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly reset: number;
  /** Seconds until the next request is allowed; 0 when this one is. */
  readonly retryAfter: number;
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** Max callers per limiter. Beyond it the least recently seen caller is evicted. */
const maxCallers = 20_000;

/** A key's own limits; null: those of the limiter. */
type OwnRate = Pick<CallerLimits, 'requestsPerSecond' | 'burst'>;

/** A token bucket per API key, local to this process. Times are milliseconds by `performance.now()`. */
export class RateLimiter {
  readonly #buckets: LRUCache<string, Bucket>;
  readonly #perSecond: number;
  readonly #burst: number;

  /** `perSecond` 0: only keys with a rate of their own are limited. */
  constructor(perSecond: number, burst: number, max = maxCallers) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(burst, 1);
    this.#buckets = new LRUCache({ max });
  }

  /** Whether a key is not limited. */
  off({ requestsPerSecond }: OwnRate): boolean {
    return (requestsPerSecond ?? this.#perSecond) === 0;
  }

  /** Takes a token of a key for which the limiter is not off. Changed limits apply to the tokens that its bucket holds. */
  take(
    key: string,
    { requestsPerSecond, burst: ownBurst }: OwnRate = deploymentLimits,
    now: number = performance.now(),
  ): RateState {
    const perSecond = requestsPerSecond ?? this.#perSecond;
    const burst = ownBurst ?? this.#burst;
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    this.#buckets.set(key, { tokens: left, at: now });
    return {
      allowed,
      limit: burst,
      remaining: Math.floor(left),
      reset: Math.ceil((burst - left) / perSecond),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)),
    };
  }
}

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

/**
 * Returns the /64 network of an IPv6 address, because providers assign whole /64 networks to customers, or the IPv4
 * address, also when IPv6 maps it (`::ffff:192.0.2.1`).
 */
export function callerOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return 'parts' in parsed ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
