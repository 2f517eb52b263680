import type { Orm } from '../../platform/database/orm.ts';
import type { DeletionJournal } from '../deletion/journal/deletion-journal.ts';
import { expiryOf, lackingFiles, readPositions } from './journal-positions.ts';
import { checkJournal } from './check-journal.ts';

/**
 * How the database relates to the journal. `current`: every deletion of the journal has ended, or completes next.
 * `replaying`: some run again. `outdated`: some are missing, so the database was restored and needs a replay. `lossy`:
 * files or records of the journal are missing or unreadable, so a restore could not be noticed.
 */
export type JournalState = 'current' | 'replaying' | 'outdated' | 'lossy';

/** The result of a comparison, which stops at the first batch with a missing deletion. */
export interface Comparison {
  readonly state: JournalState;
  /** Number of deletions. */
  readonly missing: number;
  readonly running: number;
  /** Number of records. */
  readonly unreadable: number;
  /** Number of files that end with an incomplete append. Its deletion did not complete, so nothing is lost. */
  readonly torn: number;
  /** Number of files that the database knows and the journal lacks, or has shorter. */
  readonly lackingFiles: number;
}

/** Compares the journal with the database from the stored positions on. Throws JournalUnavailable. */
export async function compareJournal(
  orm: Orm,
  journal: DeletionJournal,
  retentionMs: number,
): Promise<Comparison> {
  const positions = await readPositions(orm.em.fork());
  const lacking = lackingFiles(positions, await journal.files(), await expiryOf(orm, retentionMs)).length;
  const found = { missing: 0, running: 0, unreadable: 0, torn: 0 };
  for await (const { entries, unreadable, torn } of checkJournal(orm, journal)) {
    found.missing += entries.filter(({ state }) => state === 'missing').length;
    found.running += entries.filter(({ state }) => state === 'running').length;
    found.unreadable += unreadable;
    found.torn += torn ? 1 : 0;
    if (found.missing > 0) break;
  }
  return { state: stateOf({ ...found, lacking }), ...found, lackingFiles: lacking };
}

function stateOf(found: {
  readonly lacking: number;
  readonly missing: number;
  readonly running: number;
  readonly unreadable: number;
}): JournalState {
  if (found.lacking > 0 || found.unreadable > 0) return 'lossy';
  if (found.missing > 0) return 'outdated';
  return found.running > 0 ? 'replaying' : 'current';
}
