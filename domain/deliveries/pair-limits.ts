/** Pairs of one owner that are in flight, and those that wait, oldest first. */
interface Owner {
  inFlight: number;
  readonly waiting: { readonly pairs: number; readonly begin: () => void }[];
}

/** Limits the pairs of a user and a document in the concurrent calls of each owner. */
export class PairLimits {
  readonly #max: number;
  readonly #owners = new Map<string, Owner>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs `act`, a call about `pairs` pairs, which must not exceed the limit. Calls of one owner begin in order. */
  async run<Result>(owner: string, pairs: number, act: () => Promise<Result>): Promise<Result> {
    const own: Owner = this.#owners.get(owner) ?? { inFlight: 0, waiting: [] };
    this.#owners.set(owner, own);
    const turn = Promise.withResolvers<void>();
    own.waiting.push({ pairs, begin: turn.resolve });
    this.#proceed(owner, own);
    await turn.promise;
    try {
      return await act();
    } finally {
      own.inFlight -= pairs;
      this.#proceed(owner, own);
    }
  }

  #proceed(owner: string, own: Owner): void {
    for (;;) {
      const [next] = own.waiting;
      if (next === undefined || own.inFlight + next.pairs > this.#max) break;
      own.waiting.shift();
      own.inFlight += next.pairs;
      next.begin();
    }
    if (own.inFlight === 0) this.#owners.delete(owner);
  }
}
