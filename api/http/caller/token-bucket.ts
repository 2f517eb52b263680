import type { ExchangedBucket, ReportedRequests } from '../../../domain/limits/exchange-requests.ts';

/** State of a key's token bucket, for the `RateLimit-…` headers. */
export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly reset: number;
  /** Seconds until the next request is allowed; 0 when this one is. */
  readonly retryAfter: number;
}

/** Milliseconds between the exchanges of a process. */
export const exchangeEveryMs = 1_000;

/** Milliseconds after which an exchange is too old to compare the next one with. */
export const exchangeStaleMs = 3 * exchangeEveryMs;

/** Max burst that is not divided: each process may save, and starts with, all of it. */
const smallBurst = 10;

/** Tokens that a slice may save, so that requests at irregular times find them. */
const minCapacity = 3;

/** Min share, so that no process stops refilling. */
const minShare = 0.001;

/**
 * One process's slice of a key's token bucket. The bucket is a row in PostgreSQL (`exchangeRequests`): about once a
 * second, each process subtracts what it has admitted, and reads the row.
 *
 * - Its share of rate and burst becomes its fraction of the requests that all processes received since its last
 *   exchange. Shares add up to 1 without a list of processes, and an ended process has none in the next exchange.
 * - Its tokens become its share of the row's tokens. The row lacks what other processes admitted since their own last
 *   exchange, at most one second of their shares. So tokens change only as far as they exceed this uncertainty. A
 *   process that is alone gets the whole burst, and processes that admitted too much together save it again.
 *
 * Without exchanges a process keeps its share. Times are milliseconds of `performance.now()`.
 */
export class TokenBucket {
  readonly key: string;
  #perSecond: number;
  #burst: number;
  #share: number;
  #tokens: number;
  /** Tokens of the bucket that belong to other processes, until the first exchange. */
  #others: number;
  #filledAt: number;
  /** Requests admitted since the last report. */
  #admitted = 0;
  #received = 0;
  #exchange: { readonly at: number; readonly received: number } | undefined;
  /** Requests per exchange, of this process and of all processes; recent exchanges weigh more. */
  #demand = { own: 0, all: 0 };

  constructor(key: string, share: number, limit: { perSecond: number; burst: number }, now: number) {
    this.key = key;
    this.#share = share;
    this.#perSecond = limit.perSecond;
    this.#burst = limit.burst;
    this.#tokens = this.#capacity;
    this.#others = limit.burst - this.#tokens;
    this.#filledAt = now;
  }

  /** Greater than 0, at most 1. */
  get share(): number {
    return this.#share;
  }

  /** Requests since the last report. */
  get received(): number {
    return this.#received;
  }

  /** Tokens of the whole bucket, as far as this process knows it. */
  get #level(): number {
    if (this.#exchange === undefined) return this.#tokens < 1 ? this.#tokens : this.#tokens + this.#others;
    return this.#tokens / this.#share;
  }

  get #capacity(): number {
    if (this.#burst <= smallBurst) return this.#burst;
    return Math.max(minCapacity, this.#share * this.#burst);
  }

  /** Takes a token. A changed limit also applies to the stored tokens. */
  take(perSecond: number, burst: number, now: number): RateState {
    this.#adjust(perSecond, burst, now);
    this.#received += 1;
    const allowed = this.#tokens >= 1;
    if (allowed) {
      this.#tokens -= 1;
      this.#admitted += 1;
    }
    return this.#state(allowed);
  }

  /** Returns the state before the next request, and takes no token. */
  peek(perSecond: number, burst: number, now: number): RateState {
    this.#adjust(perSecond, burst, now);
    return this.#state(this.#tokens >= 1);
  }

  #adjust(perSecond: number, burst: number, now: number): void {
    if (burst !== this.#burst) this.#others = 0;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#refill(now);
  }

  #state(allowed: boolean): RateState {
    const level = Math.min(this.#level, this.#burst);
    return {
      allowed,
      limit: this.#burst,
      remaining: this.#tokens < 1 ? 0 : Math.floor(level),
      reset: Math.ceil((this.#burst - level) / this.#perSecond),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - level) / this.#perSecond)),
    };
  }

  /** Whether the requests since the last report use less than `fraction` of their limit, so that no exchange is needed. */
  isIdle(fraction: number): boolean {
    return this.#received < fraction * this.#perSecond;
  }

  /** Returns the requests since the last report, and begins the next one. */
  report(): ReportedRequests {
    const report = {
      tenantId: this.key,
      perSecond: this.#perSecond,
      burst: this.#burst,
      admitted: this.#admitted,
      received: this.#received,
    };
    this.#admitted = 0;
    this.#received = 0;
    return report;
  }

  /** Updates share and tokens from an exchange, whose report had `own` requests. */
  settle({ level, received }: ExchangedBucket, own: number, now: number): void {
    this.#refill(now);
    const last = this.#exchange;
    this.#exchange = { at: now, received };
    if (last !== undefined && now - last.at <= exchangeStaleMs) {
      const all = Math.max(received - last.received, own);
      this.#demand = { own: this.#demand.own / 3 + own, all: this.#demand.all / 3 + all };
      this.#share = Math.min(1, Math.max(minShare, this.#demand.own / this.#demand.all));
    } else this.#demand = { own: 0, all: 0 };
    // The tokens lack the requests admitted after the report; the row does not yet.
    const known = level - this.#admitted;
    // Uncertainty of the row: the refill of one more second, and unreported requests of other processes.
    const unknown = (2 - this.#share) * this.#perSecond * (exchangeEveryMs / 1_000);
    // A process with a small share saves up for a whole token.
    const max = known > 0 ? Math.max(1, this.#share * known) : this.#share * known;
    const min = this.#share * (known - unknown);
    this.#tokens = Math.min(this.#capacity, max, Math.max(min, this.#tokens));
  }

  #refill(now: number): void {
    const earned = ((now - this.#filledAt) / 1_000) * this.#perSecond * this.#share;
    this.#tokens = Math.min(this.#capacity, this.#tokens + earned);
    this.#filledAt = now;
  }
}
