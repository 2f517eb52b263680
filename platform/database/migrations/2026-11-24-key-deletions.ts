import { Migration } from '@mikro-orm/migrations';

const statements = [
  `create table key_deletion (
    job_id bigint primary key,
    public_id text not null unique,
    workspace_id bigint not null,
    key_id text not null,
    requested_at timestamptz not null default now(),
    removed_rows bigint,
    verified_at timestamptz,
    jws text
  )`,
  `create index key_deletion_verified on key_deletion (verified_at) where verified_at is not null`,
  // The deletion of a key finds the rows of these tables by the key.
  `create index webhook_endpoint_key on webhook_endpoint (api_key_id)`,
  `create index staged_request_key on staged_request (api_key_id)`,
];

/** Creates the deletions of API keys with all of their rows. */
export class KeyDeletions extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
