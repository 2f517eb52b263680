import { LRUCache } from 'lru-cache';
import type { ExchangedBucket, ReportedRequests } from '../../../domain/limits/exchange-requests.ts';
import { deploymentLimits, type KeyLimits } from '../../../domain/tenancy/key-limits.ts';
import { TokenBucket, type RateState } from './token-bucket.ts';

/** Max callers per limiter. Beyond it the least recently seen caller is evicted. */
export const maxCallers = 20_000;

/** Max keys per exchange: those that use the largest fractions of their limits. The others keep their shares. */
const maxReports = 1_000;

/**
 * Fraction of its limit below which a key needs no exchange in this process, and the fraction of this process's first
 * share: many processes that report nothing together exceed the limit by at most this.
 */
const idleFraction = 0.01;
const idleFractionOfShare = 0.05;

/** A key's own limits; null: those of the limiter. */
type OwnRate = Pick<KeyLimits, 'requestsPerSecond' | 'burst'>;

/** A key's limits in force. */
interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateLimiterOptions {
  /** 0: only keys with a rate of their own are limited. */
  readonly perSecond: number;
  readonly burst: number;
  /** The share of a key's limit with which this process begins: 1 where no other process admits requests. */
  readonly firstShare?: () => number;
}

/** A token bucket per API key, in slices that processes share by demand. Times as in `TokenBucket`. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #buckets: LRUCache<string, TokenBucket>;
  /** Buckets with requests since the last report. */
  #used = new Set<TokenBucket>();

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#buckets = new LRUCache({ max: maxCallers });
  }

  /** Whether a key is not limited. */
  isUnlimited({ requestsPerSecond }: OwnRate): boolean {
    return (requestsPerSecond ?? this.#options.perSecond) === 0;
  }

  /** Takes a token of a key. Undefined: the key is not limited. `key` as in `take`. */
  admit(key: string, own: OwnRate): RateState | undefined {
    return this.isUnlimited(own) ? undefined : this.take(key, own);
  }

  /** Takes a token of a key that is limited. `key`: its surrogate key, which processes share. */
  take(key: string, own: OwnRate = deploymentLimits, now: number = performance.now()): RateState {
    const rate = this.#rateOf(own);
    const bucket = this.#bucketOf(key, rate, now);
    // Without other processes no process reads the reports, which would grow without bound.
    if (bucket.received === 0 && this.#options.firstShare !== undefined) this.#used.add(bucket);
    return bucket.take(rate.perSecond, rate.burst, now);
  }

  /** Like `take`, but takes no token. */
  peek(key: string, own: OwnRate, now: number = performance.now()): RateState {
    const rate = this.#rateOf(own);
    return this.#bucketOf(key, rate, now).peek(rate.perSecond, rate.burst, now);
  }

  #rateOf({ requestsPerSecond, burst }: OwnRate): Rate {
    return {
      perSecond: requestsPerSecond ?? this.#options.perSecond,
      burst: Math.max(burst ?? this.#options.burst, 1),
    };
  }

  #bucketOf(key: string, rate: Rate, now: number): TokenBucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    const bucket = new TokenBucket(key, this.#options.firstShare?.() ?? 1, rate, now);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Number of keys with requests since the last report for which this process has only a share of the limit. */
  get sharedKeys(): number {
    return [...this.#used].filter(({ share }) => share < 1).length;
  }

  /** Returns the requests since the last report, for an exchange. */
  report(): readonly ReportedRequests[] {
    const used = this.#used;
    this.#used = new Set();
    const reports: ReportedRequests[] = [];
    const maxIdle = Math.min(idleFraction, idleFractionOfShare * (this.#options.firstShare?.() ?? 1));
    for (const bucket of used) {
      const idle = bucket.isIdle(maxIdle);
      const report = bucket.report();
      if (!idle) reports.push(report);
    }
    if (reports.length <= maxReports) return reports;
    const fraction = ({ received, perSecond }: ReportedRequests): number => received / perSecond;
    return reports.sort((a, b) => fraction(b) - fraction(a)).slice(0, maxReports);
  }

  /** Takes shares and tokens from an exchange of `reports`. */
  settle(
    reports: readonly ReportedRequests[],
    exchanged: readonly ExchangedBucket[],
    now: number = performance.now(),
  ): void {
    const received = new Map(reports.map((report) => [report.tenantId, report.received]));
    for (const found of exchanged) {
      this.#buckets.peek(found.tenantId)?.settle(found, received.get(found.tenantId) ?? 0, now);
    }
  }
}
