/** Max requests in flight per endpoint. */
const maxForOne = 50;
/** Guaranteed requests in flight per endpoint. */
const minForOne = 4;
/** Max requests in flight per process, unless the guaranteed minimum of all endpoints exceeds it. */
const maxForAll = 400;

/**
 * Divides the requests in flight of a process equally among the endpoints it serves: a slow endpoint or a large backlog
 * does not delay the others.
 */
export class SendingShares {
  #served = 0;

  /** Serves one endpoint while `work` runs; `share` returns its max requests in flight now. */
  async serve<Result>(work: (share: () => number) => Promise<Result>): Promise<Result> {
    this.#served += 1;
    try {
      return await work(() => Math.max(minForOne, Math.min(maxForOne, Math.floor(maxForAll / this.#served))));
    } finally {
      this.#served -= 1;
    }
  }
}
