import pLimit, { type LimitFunction } from 'p-limit';

/** Limits the concurrent calls of each owner, so that one with many leaves room for those of others. */
export class OwnerLimits {
  readonly #maxConcurrent: number;
  readonly #owners = new Map<string, { readonly limit: LimitFunction; calls: number }>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Number of calls of an owner that run or wait. */
  callsOf(owner: string): number {
    return this.#owners.get(owner)?.calls ?? 0;
  }

  async run<Result>(owner: string, call: () => Promise<Result>): Promise<Result> {
    const own = this.#owners.get(owner) ?? { limit: pLimit(this.#maxConcurrent), calls: 0 };
    own.calls += 1;
    this.#owners.set(owner, own);
    try {
      return await own.limit(call);
    } finally {
      own.calls -= 1;
      if (own.calls === 0) this.#owners.delete(owner);
    }
  }

  /** Drops the calls that wait; their promises stay pending. */
  clear(): void {
    for (const { limit } of this.#owners.values()) limit.clearQueue();
  }
}
