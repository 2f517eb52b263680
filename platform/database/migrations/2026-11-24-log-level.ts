import { Migration } from '@mikro-orm/migrations';

/** Creates the log level that an operator sets for every process. */
export class LogLevel extends Migration {
  override up(): void {
    this.addSql(
      'create table log_level (id smallint primary key check (id = 1), level text not null, ends_at timestamptz)',
    );
  }
}
