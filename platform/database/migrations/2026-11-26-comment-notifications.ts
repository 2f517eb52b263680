import { IndexMigration } from '../index-migration.ts';

/** Finds the notifications of a comment thread, and of one of its comments, to delete them with it. */
export class CommentNotifications extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'notification_thread',
      'notification',
      '(thread_id, comment_id) where thread_id is not null',
    );
  }
}
