import { setTimeout as pause } from 'node:timers/promises';
import type { Orm } from '../../platform/database/orm.ts';
import { claimSeconds } from './claim-deliveries.ts';
import { recordOutcomes, type SendingOutcomes, type RecordedOutcome } from './record-outcomes.ts';
import type { Lane } from './write-deliveries.ts';

const timesMs = {
  /** Max delay until an outcome is recorded. */
  maxDelay: 250,
  /** Time limit of recording while the database fails: the claim has lapsed then. And the delay between attempts. */
  maxRetrying: claimSeconds * 1_000,
  retryDelay: 250,
} as const;

/** Outcomes that are recorded at once, before the delay has passed. */
const maxGathered = 25;

export interface RecorderOptions {
  readonly orm: Orm;
  readonly lane: Lane;
  /** Expected number of outcomes: the last one is recorded at once. */
  readonly expected: number;
  readonly onOutcome: (outcome: RecordedOutcome) => void;
}

interface Gathered {
  readonly outcome: RecordedOutcome;
  readonly recorded: PromiseWithResolvers<void>;
}

/** Whether the attempt of this claim ended with a response: its code begins with a digit. */
function isResponse(outcome: RecordedOutcome): boolean {
  if (outcome.kind === 'removed' || outcome.attempts.length < outcome.delivery.attempts.length) return false;
  const { outcome: result, code } = outcome.attempts.at(-1) ?? {};
  const [first = ''] = code ?? '';
  return result === 'accepted' || (result !== 'unknown' && first >= '0' && first <= '9');
}

/** Records the outcomes of a claim while its other deliveries are being sent. */
export class Recorder {
  readonly #options: RecorderOptions;
  #gathered: Gathered[] = [];
  #awaited: number;
  #timer: NodeJS.Timeout | undefined;
  #isRecording = false;
  /** Whether the database fails: outcomes cannot be recorded now. */
  isFailing = false;
  /** Messages that a provider has accepted. */
  sent = 0;
  /** Whether a provider has accepted or refused a message, with a code of its own. */
  hasResponse = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#awaited = options.expected;
  }

  /** Resolves when the outcome is recorded. */
  async add(outcome: RecordedOutcome): Promise<void> {
    this.#options.onOutcome(outcome);
    if (outcome.kind === 'ended' && outcome.status === 'sent') this.sent += 1;
    this.hasResponse ||= isResponse(outcome);
    const recorded = Promise.withResolvers<void>();
    this.#gathered.push({ outcome, recorded });
    this.#awaited -= 1;
    this.#proceed();
    return recorded.promise;
  }

  /** Retries while the database fails, because an outcome that is not recorded repeats its message. */
  async record(outcomes: SendingOutcomes): Promise<void> {
    if (Object.values(outcomes).every(({ length }) => length === 0)) return;
    const { orm, lane } = this.#options;
    const until = performance.now() + timesMs.maxRetrying;
    for (;;) {
      // An attempt on a lost connection may take longer than the limit, so another one follows it.
      const isLast = performance.now() > until;
      try {
        await recordOutcomes(orm, lane, outcomes);
        this.isFailing = false;
        return;
      } catch (error) {
        this.isFailing = true;
        if (isLast) throw error;
        await pause(timesMs.retryDelay);
      }
    }
  }

  #proceed(): void {
    if (this.#isRecording || this.#gathered.length === 0) return;
    if (this.#gathered.length >= maxGathered || this.#awaited <= 0) void this.#recordGathered();
    else this.#timer ??= setTimeout(() => void this.#recordGathered(), timesMs.maxDelay);
  }

  async #recordGathered(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#isRecording = true;
    try {
      const outcomes = gathered.map(({ outcome }) => outcome);
      await this.record({ recorded: outcomes, moved: [], dropped: [], removed: [] });
      for (const { recorded } of gathered) recorded.resolve();
    } catch (error) {
      for (const { recorded } of gathered) recorded.reject(error);
    }
    this.#isRecording = false;
    this.#proceed();
  }
}
