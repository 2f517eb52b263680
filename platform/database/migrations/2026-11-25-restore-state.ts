import { Migration } from '@mikro-orm/migrations';

/** Creates the epoch of webhook sequences, which changes when the database is restored. */
export class RestoreState extends Migration {
  override up(): void {
    this.addSql(
      `create table restore_state (id smallint primary key check (id = 1), identity text not null,
         epoch bigint not null, began_at timestamptz not null default now())`,
    );
  }
}
