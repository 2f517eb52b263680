import { Migration } from '@mikro-orm/migrations';

const statements = [
  // disabled_by: an operator, or the key's workspace, which cannot undo an operator's action. workspace_disabled_at: a
  // copy of the workspace's, so that statements on keys need not read the workspace.
  `alter table api_key add column disabled_at timestamptz, add column disabled_by text,
     add column workspace_disabled_at timestamptz, add column deleted_at timestamptz`,
  `alter table workspace add column disabled_at timestamptz`,
  `create index api_key_deleted on api_key (deleted_at) where deleted_at is not null`,
  `create index job_open_key on job (api_key_id, id) where status in (0, 1)`,
];

/** Lets API keys and workspaces be disabled, and keys be deleted. */
export class KeyStates extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
