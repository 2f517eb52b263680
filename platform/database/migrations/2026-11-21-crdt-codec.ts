import { Migration } from '@mikro-orm/migrations';

/** How the state of collaborative data is packed: what was written before is plain. */
export class CrdtCodec extends Migration {
  override up(): void {
    this.addSql(`alter table crdt add column state_codec smallint not null default 0`);
  }
}
