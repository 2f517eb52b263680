/** Milliseconds whose messages may go at once: less would be a timer for each. */
const grain = 20;

/** Spreads the messages of an endpoint with a `rateLimit` over each second. */
export class Pace {
  /** When the next message may go, on the clock of `performance.now()`. */
  #next: number;

  /** `sinceLast`: milliseconds since the endpoint got a message; undefined when it never did. */
  constructor(rateLimit: number | null, sinceLast: number | undefined) {
    this.#next =
      rateLimit === null || sinceLast === undefined ? 0 : performance.now() - sinceLast + 1_000 / rateLimit;
  }

  /** Messages that may go now. */
  allowed(rateLimit: number | null): number {
    if (rateLimit === null) return Infinity;
    const since = performance.now() - this.#next;
    if (since < 0) return 0;
    return 1 + Math.floor((Math.min(since, grain) * rateLimit) / 1_000);
  }

  /** Milliseconds until one may go. */
  wait(): number {
    return Math.max(0, this.#next - performance.now());
  }

  took(messages: number, rateLimit: number | null): void {
    if (rateLimit === null || messages === 0) return;
    const begins = Math.max(this.#next, performance.now() - grain);
    this.#next = begins + (messages * 1_000) / rateLimit;
  }
}
