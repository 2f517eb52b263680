import { Migration } from '@mikro-orm/migrations';

const statements = [
  // application_id identifies the key at the webhook provider. With an external provider, endpoint calls wait for
  // provisioned_at. The job's row may have expired.
  `create table webhook_application (api_key_id bigint primary key references api_key, provider text not null, application_id text not null,
     job_id bigint not null, provisioned_at timestamptz, created_at timestamptz not null default now())`,
  // A key has at most one hidden endpoint of each kind.
  `create unique index webhook_endpoint_hidden on webhook_endpoint (api_key_id, kind) where deleted_at is null and kind <> 0`,
  // Finds deleted endpoints, whose rows are deleted in batches.
  `create index webhook_endpoint_deleted on webhook_endpoint (deleted_at) where deleted_at is not null`,
];

/** Creates the provider of each key's advanced webhooks. */
export class WebhookApplications extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
