import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Whoever serves a key's advanced webhooks knows it under application_id; endpoint calls to a provider of its own wait
  // for provisioned_at. Its job may have been cleared away.
  `create table webhook_application (api_key_id bigint primary key references api_key, provider text not null, application_id text not null,
     job_id bigint not null, provisioned_at timestamptz, created_at timestamptz not null default now())`,
  // Of the rows that no operation on endpoints shows a key has at most one of each kind.
  `create unique index webhook_endpoint_hidden on webhook_endpoint (api_key_id, kind) where deleted_at is null and kind <> 0`,
  // What hangs on deleted endpoints is removed a little each turn.
  `create index webhook_endpoint_deleted on webhook_endpoint (deleted_at) where deleted_at is not null`,
];

/** Where each key's advanced webhooks are served. */
export class WebhookApplications extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
