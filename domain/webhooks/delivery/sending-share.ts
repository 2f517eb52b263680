/** Guaranteed requests in flight per endpoint. */
const minForOne = 4;
/** Max requests in flight per process, unless the guaranteed minimum of all endpoints exceeds it. */
const maxForAll = 400;

/**
 * Divides the requests in flight of a process equally among the endpoints it serves. So a slow endpoint or a large
 * backlog does not delay the others.
 */
export class SendingShares {
  readonly #maxForOne: number;
  #served = 0;

  /** `maxForOne`: max requests in flight per endpoint. */
  constructor(maxForOne: number) {
    this.#maxForOne = maxForOne;
  }

  /** Serves one endpoint while `work` runs; `share` returns its max requests in flight now. */
  async serve<Result>(work: (share: () => number) => Promise<Result>): Promise<Result> {
    this.#served += 1;
    try {
      return await work(() =>
        Math.min(this.#maxForOne, Math.max(minForOne, Math.floor(maxForAll / this.#served))),
      );
    } finally {
      this.#served -= 1;
    }
  }
}
