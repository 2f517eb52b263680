import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { RecordFiles } from '../../../platform/journal/record-files.ts';
import { DeletionJournal } from './deletion-journal.ts';

/** The journal of a folder; undefined where none is configured. */
export const openJournal = (folder: string | undefined, keyRing: KeyRing): DeletionJournal | undefined =>
  folder === undefined ? undefined : new DeletionJournal(new RecordFiles(folder), keyRing);
