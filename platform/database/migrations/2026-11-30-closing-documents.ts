import { Migration } from '@mikro-orm/migrations';

/** Adds the time until which a deletion holds off further writers of a row; null when none has. */
export class ClosingDocuments extends Migration {
  override up(): void {
    this.addSql('alter table document add column closing_until timestamptz');
  }
}
