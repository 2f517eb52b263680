import { setTimeout as pause } from 'node:timers/promises';
import type { Orm } from '../../platform/database/orm.ts';
import { recordOutcomes, type Outcomes, type Recorded } from './record-outcomes.ts';
import type { Lane } from './write-deliveries.ts';

/** Milliseconds. */
const times = {
  /** Outcomes are recorded at least this often. */
  gather: 250,
  /** For which outcomes are recorded again while the database fails, and the wait between. */
  limit: 20_000,
  again: 250,
} as const;

/** Records outcomes while others are still being sent. */
export class Recorder {
  readonly #orm: Orm;
  readonly #lane: Lane;
  readonly #onOutcome: (outcome: Recorded) => void;
  #outcomes: Recorded[] = [];
  /** Messages that a provider has accepted. */
  sent = 0;

  constructor(orm: Orm, lane: Lane, onOutcome: (outcome: Recorded) => void) {
    this.#orm = orm;
    this.#lane = lane;
    this.#onOutcome = onOutcome;
  }

  add(outcome: Recorded): void {
    this.#outcomes.push(outcome);
    this.#onOutcome(outcome);
    if (outcome.kind === 'ended' && outcome.status === 'sent') this.sent += 1;
  }

  /** Records while `work` goes on, and what is left when it ends. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error;
      },
    );
    for (;;) {
      const end = await Promise.race([ended, pause(times.gather)]);
      const recorded = this.#outcomes;
      this.#outcomes = [];
      await this.record({ recorded, dropped: [], removed: [] });
      if (end !== undefined) return end();
    }
  }

  /** Retries while the database fails: what is not recorded is sent again. */
  async record(outcomes: Outcomes): Promise<void> {
    if (outcomes.recorded.length + outcomes.dropped.length + outcomes.removed.length === 0) return;
    const until = performance.now() + times.limit;
    for (;;) {
      try {
        await recordOutcomes(this.#orm, this.#lane, outcomes);
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await pause(times.again);
      }
    }
  }
}
