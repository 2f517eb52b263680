import { Migration } from '@mikro-orm/migrations';

/** Adds the trace of the call that recorded an event; null when tracing is off. */
export class EventTrace extends Migration {
  override up(): void {
    this.addSql('alter table event add column traceparent text');
  }
}
