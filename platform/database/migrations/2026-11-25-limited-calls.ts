import { Migration } from '@mikro-orm/migrations';

const statements = [
  // The oldest rows of a key and kind run, up to the limit; the others wait. Rows of processes without a heartbeat do
  // not count.
  `create table limited_call (id bigint generated always as identity primary key, api_key_id bigint not null,
     kind text not null, process text not null)`,
  `create index limited_call_key on limited_call (api_key_id, kind, id)`,
];

/** Creates the calls whose concurrency is limited per key, over all processes. */
export class LimitedCalls extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
