import type { Registry } from 'prom-client';
import type { Orm } from '../../platform/database/orm.ts';
import { limitRepeats } from '../../platform/logging/limit-repeats.ts';
import { logOutage } from '../../platform/logging/log-outage.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { addGauge } from '../../platform/metrics/scraped-metrics.ts';
import { JournalUnavailable, type DeletionJournal } from '../deletion/journal/deletion-journal.ts';
import type { Completion } from '../deletion/journal/journal-deletion.ts';
import { completeJournal, lacksEntries, removeExpiredFiles } from './complete-journal.ts';
import { keepRestoreGate, type RestoreGate } from './restore-gate.ts';

/** The gate of a process, and what keeps it current. */
export interface JournalWatch {
  readonly gate: RestoreGate;
  /** Undefined where none is configured; then nothing is watched. */
  readonly journal: DeletionJournal | undefined;
  readonly orm: Orm;
  readonly retentionMs: number;
  /** Set in a worker, which writes the journal; an API process only reads it. */
  readonly completion?: Completion;
  /** Milliseconds after which a running check counts as failed, because the file system hangs; default 2 minutes. */
  readonly maxCheckMs?: number;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly signal: AbortSignal;
}

const remedy = 'Set STEWARD_DELETION_JOURNAL for every worker.';

/** Keeps the gate and the metrics of a process current and, in a worker, the journal complete, until `signal` aborts. */
export async function watchJournal(watch: JournalWatch): Promise<void> {
  const { gate, journal, orm, retentionMs, completion, logger, registry, signal } = watch;
  const { maxCheckMs = 120_000 } = watch;
  if (journal === undefined) return;
  const repeating = limitRepeats(logger);
  const onOutage = logOutage(repeating, 'deletion journal not compared');
  let writable: boolean | undefined;
  let checkingSince: number | undefined;
  let lossy = false;
  addGauge(
    registry,
    {
      name: 'steward_deletion_journal_current',
      help: '1 when every journaled deletion has ended in the database, 0 when a restore needs a replay or the journal lacks files or records.',
    },
    () => [{ value: gate.isOpen() && !lossy ? 1 : 0 }],
  );
  if (completion !== undefined)
    addGauge(
      registry,
      {
        name: 'steward_deletion_journal_writable',
        help: '1 when the deletion journal could be written at the last check, which is made every 15 s; 0 while one hangs for 2 minutes or more.',
      },
      () => {
        const hangs = checkingSince !== undefined && performance.now() - checkingSince > maxCheckMs;
        return writable === undefined && !hangs ? [] : [{ value: writable === true && !hangs ? 1 : 0 }];
      },
    );
  await keepRestoreGate({
    gate,
    orm,
    journal,
    retentionMs,
    signal,
    onBegun: () => {
      checkingSince = performance.now();
    },
    onCompared: ({ state, missing, running, unreadable, torn, lackingFiles }) => {
      lossy = state === 'lossy';
      if (state === 'current') return;
      checkingSince = undefined;
      repeating.warn(
        { state, missing, running, unreadable, torn, lackingFiles },
        'deletion journal not current',
      );
    },
    onFailure: (error) => {
      checkingSince = undefined;
      if (error instanceof JournalUnavailable) {
        writable = false;
        repeating.error({ reason: error.reason }, 'deletion journal unavailable');
      } else onOutage(error);
    },
    whenOpen:
      completion === undefined
        ? async () => {
            checkingSince = undefined;
            if (await lacksEntries(orm)) repeating.warn({ remedy }, 'deletions without journal entries');
          }
        : async () => {
            writable = false;
            await journal.checkWritable();
            writable = true;
            checkingSince = undefined;
            await completeJournal(orm, completion);
            await removeExpiredFiles(orm, journal, retentionMs);
          },
  });
}
