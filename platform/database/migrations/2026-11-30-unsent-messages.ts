import { IndexMigration } from '../index-migration.ts';

/** Finds the failed and canceled webhook messages of an endpoint, however many others it has. */
export class UnsentMessages extends IndexMigration {
  override async up(): Promise<void> {
    await this.addPartitionedIndex(
      'delivery_unsent',
      'delivery',
      '(endpoint_id, event_at, event_id) where status in (2, 3) and sequence is not null',
    );
  }
}
