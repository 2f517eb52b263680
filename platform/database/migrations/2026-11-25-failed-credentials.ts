import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Unlogged: a crash of PostgreSQL may empty it. caller: a hash of the address; ends_at: the end of the caller's minute.
  `create unlogged table failed_credentials (caller bytea primary key, failures integer not null,
     ends_at timestamptz not null)`,
  `create index failed_credentials_end on failed_credentials (ends_at)`,
];

/** Creates the counts of failed credentials per address, which all API processes share. */
export class FailedCredentials extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
