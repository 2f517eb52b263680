import { once } from 'node:events';
import type { Orm } from '../../platform/database/orm.ts';
import { repeat } from '../../platform/process/repeat.ts';
import { JournalUnavailable, type DeletionJournal } from '../deletion/journal/deletion-journal.ts';
import { compareJournal, type Comparison, type JournalState } from './compare-journal.ts';

/** `unchecked`: not compared yet. `unavailable`: the journal could not be read yet. */
export type GateState = JournalState | 'unchecked' | 'unavailable';

const reasons: Readonly<Record<GateState, string | undefined>> = {
  current: undefined,
  unchecked: 'The deletion journal has not been compared with the database yet.',
  unavailable:
    'The deletion journal cannot be read. Mount its volume at STEWARD_DELETION_JOURNAL, and let this user read it.',
  outdated: 'The database is older than the deletion journal. Run: npm run cli -- deletions replay',
  replaying: 'Deletions of the deletion journal are running again.',
  lossy:
    'The deletion journal lacks files or records. Mount its volume, set every encryption key, or see docs/deletion-journal.md',
};

/**
 * Refuses customers' calls while the database may contain users whose deletion had completed, as after a restore. Once it
 * is `current`, a journal that cannot be read, or that only lost files or records, does not close it: that is no sign of a
 * restore.
 */
export class RestoreGate {
  #state: GateState;
  readonly #changed = new EventTarget();

  /** Without a journal, the gate is always open. */
  constructor(hasJournal: boolean) {
    this.#state = hasJournal ? 'unchecked' : 'current';
  }

  get state(): GateState {
    return this.#state;
  }

  /** Why the process is not ready; undefined while the gate is open. */
  closed = (): { readonly state: GateState; readonly reason: string } | undefined => {
    const reason = reasons[this.#state];
    return reason === undefined ? undefined : { state: this.#state, reason };
  };

  isOpen = (): boolean => this.#state === 'current';

  change(state: GateState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#changed.dispatchEvent(new Event('change'));
  }

  /** Resolves once the state is one of these, or `signal` aborts. */
  async reached(states: readonly GateState[], signal: AbortSignal): Promise<void> {
    while (!states.includes(this.#state) && !signal.aborted)
      await once(this.#changed, 'change', { signal }).catch(() => undefined);
  }

  /** Resolves once the first comparison has ended, or after `limitMs`. */
  async settled(limitMs: number): Promise<void> {
    const states: GateState[] = ['current', 'replaying', 'outdated', 'lossy', 'unavailable'];
    await this.reached(states, AbortSignal.timeout(limitMs));
  }
}

/** The gate to keep, and what it compares. */
export interface GateOptions {
  readonly gate: RestoreGate;
  readonly orm: Orm;
  readonly journal: DeletionJournal;
  readonly retentionMs: number;
  /** Called after each comparison that finds the database and the journal current. */
  readonly whenOpen?: () => Promise<void>;
  /** Called before each comparison. */
  readonly onBegun?: () => void;
  readonly onCompared: (comparison: Comparison) => void;
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Pause between two comparisons, in milliseconds, and at least as a multiple of the time of the last one. */
const delayMs = { open: 15_000, closed: 1_000, timesDuration: 9 } as const;

/** Whether the journal lost files or records, and the rest of it shows no restore. */
const losesOnly = ({ state, missing, running }: Comparison): boolean =>
  state === 'lossy' && missing === 0 && running === 0;

/** Compares journal and database, and sets the gate, until `signal` aborts. */
export async function keepRestoreGate(options: GateOptions): Promise<void> {
  const { gate, orm, journal, retentionMs, whenOpen, onBegun, onCompared, onFailure, signal } = options;
  await repeat(signal, async () => {
    const began = performance.now();
    onBegun?.();
    try {
      const comparison = await compareJournal(orm, journal, retentionMs);
      if (!(gate.isOpen() && losesOnly(comparison))) gate.change(comparison.state);
      onCompared(comparison);
      if (comparison.state === 'current') await whenOpen?.();
    } catch (error) {
      if (error instanceof JournalUnavailable && !gate.isOpen()) gate.change('unavailable');
      onFailure(error);
    }
    const least = gate.isOpen() ? delayMs.open : delayMs.closed;
    return Math.max(least, (performance.now() - began) * delayMs.timesDuration);
  });
}
