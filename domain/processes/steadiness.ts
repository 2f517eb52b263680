/**
 * Milliseconds between two successful heartbeats that show an outage of the database, and milliseconds after it in
 * which the heartbeats of other processes may still be missing: a statement on a lost connection fails after 30 s.
 */
const outageMs = { gap: 2_000, aftermath: 35_000 } as const;

/** Whether heartbeats have succeeded without an outage for 35 s. Times by `performance.now()`. */
export class Steadiness {
  #reachedAt: number;
  /** A process may start during an outage or its aftermath. */
  #steadyFrom: number;

  constructor(startedAt: number) {
    this.#reachedAt = startedAt;
    this.#steadyFrom = startedAt + outageMs.aftermath;
  }

  /** Call it after each successful heartbeat. */
  reached(at: number): void {
    if (at - this.#reachedAt > outageMs.gap) this.#steadyFrom = at + outageMs.aftermath;
    this.#reachedAt = at;
  }

  isSteady(at: number): boolean {
    return at >= this.#steadyFrom && at - this.#reachedAt <= outageMs.gap;
  }
}
