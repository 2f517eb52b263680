import { Migration } from '@mikro-orm/migrations';
import { IndexMigration } from '../../../../platform/database/index-migration.ts';
import { migrations } from '../../../../platform/database/migrations/list.ts';
import type { ListedMigration } from '../../../../platform/database/run-migrations.ts';

/* Migrations for tests only. */

const lastOfRelease = migrations.findIndex(({ name }) => name === '2026-11-24-key-deletions');

/** The migrations of release 0.2.0. */
export const released = migrations.slice(0, lastOfRelease + 1);

/** The migrations since release 0.2.0. */
export const unreleased = migrations.slice(lastOfRelease + 1);

class AddColumn extends Migration {
  override up(): void {
    this.addSql('alter table activity add column test_column bigint not null default 0');
  }
}

class AddIndex extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex('activity_test', 'activity', '(org_id, test_column, id)');
  }
}

/** A column of the largest table, with an index. */
export const indexedColumn: readonly ListedMigration[] = [
  { name: 'test-column', class: AddColumn },
  { name: 'test-index', class: AddIndex },
];

class AddUniqueIndex extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex('numbered_number', 'numbered', '(number)', 'unique');
  }
}

/** A unique index on `numbered (number)`, a table that the test creates. */
export const uniqueIndex: readonly ListedMigration[] = [{ name: 'test-unique-index', class: AddUniqueIndex }];

class AddPartitionedIndex extends IndexMigration {
  override async up(): Promise<void> {
    await this.addPartitionedIndex('parted_number', 'parted', '(number) where number > 0');
  }
}

/** An index on `parted (number)`, a partitioned table that the test creates. */
export const partitionedIndex: readonly ListedMigration[] = [
  { name: 'test-partitioned-index', class: AddPartitionedIndex },
];

/** A column in each table that calls read through entities or whole rows. */
export const addedColumns: readonly ListedMigration[] = [
  'job',
  'api_key',
  'key_config',
  'folder',
  'activity',
].map((table) => ({
  name: `test-column-${table}`,
  class: class extends Migration {
    override up(): void {
      this.addSql(`alter table ${table} add column test_added text`);
    }
  },
}));
