import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Is kept as long as its receipt, beyond the 90 days of its job: no foreign key. Contains no user id.
  // organization_ids: the customer's, as sent; null is all. done_places: names of finished stores; stand: the cursor in
  // the present store.
  `create table user_data_deletion (job_id bigint primary key, api_key_id bigint not null references api_key,
     public_id text not null, dry_run boolean not null, users integer not null, organization_ids json,
     phase smallint, done_places text[] not null default '{}', stand json, counts json not null default '{}', last_task_at timestamptz,
     verified_at timestamptz, created_at timestamptz not null default now(), ended_at timestamptz, receipt json, expires_at timestamptz)`,
  `create unique index user_data_deletion_public on user_data_deletion (api_key_id, public_id)`,
  `create index user_data_deletion_expiry on user_data_deletion (expires_at) where expires_at is not null`,
  // False for a row of app_user that was inserted only to lock it, which the counts omit.
  `alter table user_deletion add column known boolean not null default true`,
  // By the customer's id: while one deletion holds its fence, another may delete the row, and no write may create a new
  // one.
  `create index user_fence_id on user_deletion (api_key_id, user_ext_id) where fenced_at is not null and ended_at is null`,
  `drop index user_fence`,
  `create index job_may_be_late on job (created_at) where kind = 2 and status in (0, 1) and late_at is null`,
];

/** Creates the progress and the receipts of user data deletions. */
export class UserDataDeletion extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
