import { Migration } from '@mikro-orm/migrations';

/** The trace of the call that recorded an event; null where tracing is off. */
export class EventTrace extends Migration {
  override up(): void {
    this.addSql('alter table event add column traceparent text');
  }
}
