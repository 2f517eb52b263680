import { Migration } from '@mikro-orm/migrations';

/** Adds the compression of the state of collaborative data; existing states are uncompressed (0). */
export class CrdtCodec extends Migration {
  override up(): void {
    this.addSql(`alter table crdt add column state_codec smallint not null default 0`);
  }
}
