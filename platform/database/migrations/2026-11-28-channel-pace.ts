import { Migration } from '@mikro-orm/migrations';

/** Creates the time of a channel's next claim. Each batch updates the row, so half of each page stays free for it. */
export class ChannelPace extends Migration {
  override up(): void {
    this
      .addSql(`create table channel_pace (api_key_id bigint not null, channel smallint not null, next_at timestamptz not null,
      primary key (api_key_id, channel)) with (fillfactor = 50)`);
  }
}
