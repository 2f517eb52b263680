/** Requests that one endpoint gets at once. */
const maxForOne = 50;
/** An endpoint gets this many however many others are served. */
const minForOne = 4;
/** Requests of a process at once, unless so many endpoints are served that each has the least. */
const maxForAll = 400;

/**
 * Divides what a process sends at once among the endpoints that it serves, in equal parts: what hangs at one of them, or
 * waits for it in millions, takes nothing from the others.
 */
export class SendingShares {
  #served = 0;

  /** Serves one endpoint for as long as `work` lasts; `share` says how much it may send at once now. */
  async serve<Result>(work: (share: () => number) => Promise<Result>): Promise<Result> {
    this.#served += 1;
    try {
      return await work(() => Math.max(minForOne, Math.min(maxForOne, Math.floor(maxForAll / this.#served))));
    } finally {
      this.#served -= 1;
    }
  }
}
