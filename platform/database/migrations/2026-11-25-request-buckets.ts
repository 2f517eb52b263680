import { Migration } from '@mikro-orm/migrations';

/** Creates the token buckets of busy API keys, which the API processes share. */
export class RequestBuckets extends Migration {
  override up(): void {
    // Unlogged: a crash of PostgreSQL may empty it. Processes update a row every second: free space on its page allows
    // heap-only tuple updates.
    this.addSql(`create unlogged table request_bucket (api_key_id bigint primary key references api_key (id),
      per_second integer not null, burst integer not null, level double precision not null,
      requests bigint not null, filled_at timestamptz not null) with (fillfactor = 50)`);
  }
}
