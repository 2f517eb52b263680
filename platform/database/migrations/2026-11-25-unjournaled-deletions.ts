import { IndexMigration } from '../index-migration.ts';

/** Finds completed deletions that are not in the journal. */
export class UnjournaledDeletions extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'user_data_deletion_unjournaled',
      'user_data_deletion',
      '(job_id) where verified_at is not null and journaled_at is null and users_enc is not null',
    );
    await this.addIndex(
      'key_deletion_unjournaled',
      'key_deletion',
      '(job_id) where verified_at is not null and journaled_at is null',
    );
  }
}
