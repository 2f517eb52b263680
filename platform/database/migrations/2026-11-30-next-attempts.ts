import { IndexMigration } from '../index-migration.ts';

/** Finds the keys with failed events whose next attempt is due, however many events a key has. */
export class NextAttempts extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'poison_event_next',
      'poison_event',
      '(api_key_id, next_at) where next_at is not null',
    );
    this.addSql('drop index concurrently if exists poison_event_due');
  }
}
