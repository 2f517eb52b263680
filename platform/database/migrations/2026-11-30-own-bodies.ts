import { Migration } from '@mikro-orm/migrations';

/**
 * Adds whether a caller has replaced the body of a comment's notification. Processes of release 0.2.0 send the comment's
 * text instead.
 */
export class OwnBodies extends Migration {
  override up(): void {
    this.addSql('alter table notification add column own_body boolean not null default false');
  }
}
