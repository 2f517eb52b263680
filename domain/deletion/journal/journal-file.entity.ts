import { defineEntity, p } from '@mikro-orm/core';
import { byteText, moment } from '../../columns.ts';

/**
 * A file of the deletion journal, and the bytes before which every deletion has ended in this database. A restored
 * database has the positions of its backup, so the deletions after them are replayed. `acceptedBytes`: before them, unreadable
 * records are skipped, because an operator accepted their loss.
 */
export const JournalFileSchema = defineEntity({
  name: 'JournalFile',
  tableName: 'deletion_journal_file',
  properties: {
    name: byteText().primary(),
    checkedBytes: p.bigint('string'),
    acceptedBytes: p.bigint('string').defaultRaw('0'),
    modifiedAt: moment(),
  },
});
