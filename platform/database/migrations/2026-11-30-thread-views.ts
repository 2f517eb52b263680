import { IndexMigration } from '../index-migration.ts';

/** Finds the read marks of a comment thread, to delete them with it. */
export class ThreadViews extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex('thread_view_thread', 'thread_view', '(thread_id) where thread_id > 0');
  }
}
