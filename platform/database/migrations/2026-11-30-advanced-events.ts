import { Migration } from '@mikro-orm/migrations';

/** Adds whether advanced webhooks were on when an event was recorded. Processes of release 0.2.0 record events as before. */
export class AdvancedEvents extends Migration {
  override up(): void {
    this.addSql('alter table event add column advanced boolean not null default true');
  }
}
