import { Migration } from '@mikro-orm/migrations';

const statements = [
  `create table deletion_journal_file (
    name text collate "C" primary key,
    checked_bytes bigint not null,
    modified_at timestamptz not null
  )`,
  `alter table user_data_deletion add column journaled_at timestamptz`,
  `alter table key_deletion add column journaled_at timestamptz`,
];

/** Adds the state of the deletion journal, which records completed deletions outside the database. */
export class DeletionJournal extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
