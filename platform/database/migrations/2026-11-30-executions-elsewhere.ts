import { IndexMigration } from '../index-migration.ts';

/** Reads a person's agent executions without an organization in order, however many the person has. */
export class ExecutionsElsewhere extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'agent_execution_elsewhere',
      'agent_execution',
      '(started_by, id) where org_id is null and started_by is not null',
    );
  }
}
