import { IndexMigration } from '../index-migration.ts';

/** Finds the open jobs of an organization that remove the records beyond the limit of a call. */
export class OpenRemovals extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'job_open_removal',
      'job',
      `(org_id) where kind = 4 and status in (0, 1) and (request -> 'records') is not null`,
    );
  }
}
