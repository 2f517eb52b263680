import { Migration } from '@mikro-orm/migrations';

/** Adds the position before which an operator accepted the loss of unreadable records of the deletion journal. */
export class AcceptedLosses extends Migration {
  override up(): void {
    this.addSql('alter table deletion_journal_file add column accepted_bytes bigint not null default 0');
  }
}
