import { Migration } from '@mikro-orm/migrations';

/** Customers' ids are opaque bytes, compared byte by byte, max 1,000 (a btree entry holds 2,704). */
const customerId = (column: string) =>
  `${column} text collate "C" check (octet_length(${column}) between 1 and 1000)`;
const identity = 'id bigint generated always as identity primary key';
const times = 'created_at timestamptz not null default now(), updated_at timestamptz not null default now()';

/**
 * A deleted row keeps its surrogate id and frees the customer's id. The unique index over that id must not be partial:
 * only a full one makes an id change wait for writers that hold the row (KEY SHARE of their foreign key).
 */
const tombstone = 'deleted_at timestamptz, check (ext_id is not null or deleted_at is not null)';

const credentials = [
  `create table workspace (${identity}, public_id text not null unique, name text not null, owner_email text not null,
     owner_name text not null default '', avatar text not null default '',
     token_hash bytea not null, token_enc bytea not null, created_at timestamptz not null default now())`,
  `create table api_key (${identity}, workspace_id bigint not null references workspace, key_hash bytea not null unique,
     key_enc bytea not null, name text not null, type text not null, owner_email text not null,
     allowed_domains text[] not null default '{}', created_at timestamptz not null default now())`,
  `create index api_key_workspace on api_key (workspace_id, id)`,
  `create table auth_token (token_hash bytea primary key, api_key_id bigint not null references api_key,
     token_enc bytea not null, name text not null, created_at timestamptz not null default now())`,
  `create index auth_token_key on auth_token (api_key_id)`,
  // Without a row, the key was never configured. Secrets have their own column: reading a switch decrypts nothing.
  `create table key_config (api_key_id bigint not null references api_key, kind text not null, config jsonb not null,
     secrets_enc bytea, first_enabled_at timestamptz, version int not null default 1,
     updated_at timestamptz not null default now(), primary key (api_key_id, kind))`,
  `create table signing_key (kid text primary key, purpose text not null, key_enc bytea not null, public_key bytea,
     created_at timestamptz not null default now(), retired_at timestamptz)`,
  `create unique index signing_key_current on signing_key (purpose) where retired_at is null`,
];

const resources = [
  `create table organization (${identity}, api_key_id bigint not null references api_key, ${customerId('ext_id')},
     name text not null, disabled boolean not null default false, metadata jsonb not null default '{}', ${times}, ${tombstone})`,
  `create unique index organization_ext on organization (api_key_id, ext_id)`,
  // ancestors: surrogate ids from the top folder to the parent. A move updates the subtree under the organization's
  // lock.
  `create table folder (${identity}, api_key_id bigint not null, org_id bigint not null references organization,
     ${customerId('ext_id')}, parent_id bigint references folder, ancestors bigint[] not null default '{}', name text collate "C" not null,
     access_type smallint, metadata jsonb not null default '{}', ${times}, ${tombstone}, check (parent_id <> id))`,
  `create unique index folder_ext on folder (org_id, ext_id)`,
  `create index folder_root on folder (org_id, ext_id) where parent_id is null`,
  `create index folder_parent on folder (parent_id) where parent_id is not null`,
  `create table document (${identity}, api_key_id bigint not null, org_id bigint not null references organization,
     ${customerId('ext_id')}, folder_id bigint references folder, name text not null, disabled boolean not null default false,
     access_type smallint, metadata jsonb not null default '{}', ${times}, ${tombstone})`,
  `create unique index document_ext on document (org_id, ext_id)`,
  `create index document_root on document (org_id, ext_id) where folder_id is null`,
  `create index document_folder on document (folder_id, ext_id) where folder_id is not null`,
  `create index document_key_ext on document (api_key_id, ext_id)`,
  // Both ids of a running migration.
  `create table id_reservation (org_id bigint not null, ext_id text collate "C" not null, job_id bigint not null,
     primary key (org_id, ext_id))`,
  `create index id_reservation_job on id_reservation (job_id)`,
];

const people = [
  // Has a row for every userId that a record names, so that a write can always lock it.
  `create table app_user (${identity}, api_key_id bigint not null references api_key, ${customerId('ext_id')},
     name text not null default '', email text not null default '', metadata jsonb not null default '{}', ${times}, ${tombstone})`,
  `create unique index app_user_ext on app_user (api_key_id, ext_id)`,
  // Users named inside the free JSON of a record. Rows of deleted records are harmless: ids are never reused.
  `create table record_user (user_id bigint not null, kind smallint not null, record_id bigint not null,
     api_key_id bigint not null, org_id bigint not null, primary key (user_id, kind, record_id))`,
];

const records = [
  `create table activity (${identity}, api_key_id bigint not null, org_id bigint not null,
     document_id bigint not null references document, ext_id text collate "C" not null check (octet_length(ext_id) between 1 and 1000),
     ts bigint not null, feature smallint not null, action_type text not null, actor_id bigint not null,
     target_entity_id text collate "C" check (octet_length(target_entity_id) between 1 and 1000), mentioned bigint[] not null default '{}',
     content_hash bytea not null, body json not null)
   with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02)`,
  `create unique index activity_ext on activity (org_id, ext_id)`,
  `create index activity_document on activity (document_id, ts, id)`,
  `create index activity_org on activity (org_id, ts, id)`,
  `create index activity_actor on activity (actor_id, org_id, ts, id)`,
  `create index activity_target on activity (org_id, target_entity_id, ts, id) where target_entity_id is not null`,
];

const jobs = [
  `create table job (${identity}, api_key_id bigint not null references api_key, public_id text not null unique,
     kind smallint not null, status smallint not null default 0, org_id bigint, organization_ext_id text collate "C", request json, progress json, error text,
     created_at timestamptz not null default now(), started_at timestamptz, ended_at timestamptz,
     late_at timestamptz, next_sweep_at timestamptz not null default now() + interval '10 seconds')`,
  `create index job_key_kind on job (api_key_id, kind, id)`,
  `create index job_key on job (api_key_id, id)`,
  `create index job_open on job (next_sweep_at) where status in (0, 1)`,
  `create index job_ended on job (ended_at) where ended_at is not null`,
  // No foreign keys on org_id and document_id: the row outlives the organization and the document.
  `create table migration (job_id bigint primary key references job on delete cascade, api_key_id bigint not null, org_id bigint not null,
     document_id bigint not null, old_ext_id text collate "C" not null, new_ext_id text collate "C" not null,
     verified boolean, counts json, flipped_at timestamptz, released_at timestamptz)`,
  // Finds the present document of an id that a migration freed.
  `create index migration_moved on migration (org_id, old_ext_id, job_id desc) where flipped_at is not null and released_at is null`,
  `create index migration_document on migration (document_id)`,
];

const deletions = [
  `create table user_deletion (job_id bigint not null references job, user_id bigint not null, user_ext_id text collate "C",
     api_key_id bigint not null, fenced_at timestamptz, ended_at timestamptz, primary key (job_id, user_id))`,
  `create table user_deletion_organization (job_id bigint not null references job, org_id bigint not null, primary key (job_id, org_id))`,
  `create index user_fence on user_deletion (user_id) where fenced_at is not null and ended_at is null`,
];

const events = [
  `create table webhook_endpoint (${identity}, api_key_id bigint not null references api_key, public_id text not null unique,
     url text not null, description text, filter_types text[], channels text[], rate_limit int, uid text,
     metadata json, secret_enc bytea, old_secret_enc bytea, old_secret_until timestamptz, next_sequence bigint not null default 1,
     provider_id text, disabled_at timestamptz, disabled_reason text, failing_since timestamptz, deleted_at timestamptz, ${times})`,
  `create index webhook_endpoint_live on webhook_endpoint (api_key_id, id) where deleted_at is null`,
  `create unique index webhook_endpoint_uid on webhook_endpoint (api_key_id, uid) where deleted_at is null and uid is not null`,
  // One partition per day: after 30 days it is dropped. The default partition takes rows of days without one.
  `create table event (id bigint generated always as identity, at timestamptz not null default now(), api_key_id bigint not null,
     org_id bigint, document_id bigint, public_id text not null, type text not null, channels text[], payload json,
     primary key (at, id)) partition by range (at)`,
  `create table event_default partition of event default`,
  `create index event_key on event (api_key_id, at, id)`,
  `create table event_user (user_id bigint not null, at timestamptz not null, event_id bigint not null,
     primary key (at, user_id, event_id)) partition by range (at)`,
  `create table event_user_default partition of event_user default`,
  `create index event_user_person on event_user (user_id, at)`,
  // Consumers delete rows. Reading "id greater than the last" would skip a transaction that commits late.
  `create table outbox (event_id bigint primary key, event_at timestamptz not null, api_key_id bigint not null)`,
  `create index outbox_key on outbox (api_key_id, event_id)`,
];

const idempotency = [
  // http_status is null while a call with requests to other servers holds the key by its lease.
  `create table idempotency (scope smallint not null, scope_id bigint not null, key_hash bytea not null, request_hash bytea not null,
     http_status smallint, response_enc bytea, lease_until timestamptz, created_at timestamptz not null default now(),
     primary key (scope, scope_id, key_hash))`,
  `create index idempotency_age on idempotency using brin (created_at)`,
];

/** Creates tenants, resources, activity logs, jobs, webhook endpoints, the outbox and idempotency keys. */
export class Foundation extends Migration {
  override up(): void {
    for (const statement of [
      ...credentials,
      ...resources,
      ...people,
      ...records,
      ...jobs,
      ...deletions,
      ...events,
      ...idempotency,
    ]) {
      this.addSql(statement);
    }
  }
}
