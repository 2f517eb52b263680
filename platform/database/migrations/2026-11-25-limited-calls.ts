import { Migration } from '@mikro-orm/migrations';

const statements = [
  // The oldest rows of a key and kind run, the others wait; those of processes without a heartbeat do not count.
  `create table limited_call (id bigint generated always as identity primary key, api_key_id bigint not null,
     kind text not null, process text not null)`,
  `create index limited_call_key on limited_call (api_key_id, kind, id)`,
];

/** Calls of which a key may run some at a time in all processes together. */
export class LimitedCalls extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
