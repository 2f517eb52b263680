import { Migration } from '@mikro-orm/migrations';

/** Adds whether a message that is sent again had been delivered: a failure of the extra attempt does not change that. */
export class ResentMessages extends Migration {
  override up(): void {
    this.addSql('alter table delivery add column delivered boolean not null default false');
  }
}
