import { compareJournal, type Comparison } from '../../domain/deletion-replay/compare-journal.ts';
import { lacksEntries } from '../../domain/deletion-replay/complete-journal.ts';
import { JournalUnavailable } from '../../domain/deletion/journal/deletion-journal.ts';
import { openJournal } from '../../domain/deletion/journal/open-journal.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { keyRingOf, type Surroundings } from '../settings.ts';
import { finding, guarded, type Finding } from './finding.ts';

const check = 'journal';

const uncompared =
  'The deletion journal could not be compared with the database: set STEWARD_ENCRYPTION_KEYS, or check the privileges of the role.';

/** Checks that the deletion journal can be written, and compares it with the database. */
export async function checkJournal(
  surroundings: Surroundings,
  { orm }: Pick<Database, 'orm'>,
): Promise<readonly Finding[]> {
  const { folder, retentionMs } = readConfiguration(surroundings.environment, 'cli').deletionJournal;
  if (folder === undefined) {
    const text = 'STEWARD_DELETION_JOURNAL is not set: restoring a backup restores deleted users.';
    return [finding(check, 'warning', text)];
  }
  return guarded(check, uncompared, async () => {
    const journal = openJournal(folder, keyRingOf(surroundings));
    if (journal === undefined) return [];
    try {
      await journal.checkWritable();
      const compared = findingOf(await compareJournal(orm, journal, retentionMs));
      return (await lacksEntries(orm)) ? [compared, lacking] : [compared];
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      const text = `The deletion journal is unavailable (${error.reason}), so deletions stay open: mount its volume, give this user access, or make room.`;
      return [finding(check, 'serious', text)];
    }
  });
}

const lacking = finding(
  check,
  'serious',
  'Completed deletions are not in the deletion journal, so a restore would bring these people back: set STEWARD_DELETION_JOURNAL for every worker. A worker that has it adds them.',
);

function findingOf({ state, unreadable, lackingFiles, torn }: Comparison): Finding {
  switch (state) {
    case 'current': {
      const incomplete = torn > 0 ? ` ${String(torn)} files end with an incomplete entry.` : '';
      return finding(check, 'ok', `The database knows every deletion of the deletion journal.${incomplete}`);
    }
    case 'replaying':
      return finding(check, 'warning', 'Deletions from the journal run again: keep a worker running.');
    case 'outdated': {
      const text =
        'The database is missing deletions that the journal lists: run npm run cli -- deletions replay.';
      return finding(check, 'serious', text);
    }
    case 'lossy': {
      const damage = [
        lackingFiles === 1 ? '1 file is missing' : `${String(lackingFiles)} files are missing`,
        unreadable === 1 ? '1 entry is unreadable' : `${String(unreadable)} entries are unreadable`,
      ];
      const text = `The deletion journal is damaged (${damage.join(' and ')}): mount its volume and set every encryption key, or see docs/deletion-journal.md.`;
      return finding(check, 'serious', text);
    }
  }
}
