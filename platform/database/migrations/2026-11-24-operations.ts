import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Deliveries of an endpoint, of a key (endpoint 0) or of every key (key 0, endpoint 0) are paused until resumed_at.
  `create table webhook_pause (api_key_id bigint not null, endpoint_id bigint not null,
     paused_at timestamptz not null default now(), resumed_at timestamptz, primary key (api_key_id, endpoint_id))`,
  `create index webhook_pause_ended on webhook_pause (resumed_at) where resumed_at is not null`,
  // Events whose dispatch failed. next_at: the next attempt; null: set aside.
  `create table poison_event (api_key_id bigint not null, event_id bigint not null, event_at timestamptz not null,
     attempts smallint not null default 1, reason text not null, failed_at timestamptz not null default now(),
     next_at timestamptz, primary key (api_key_id, event_id))`,
  `create index poison_event_due on poison_event (next_at) where next_at is not null`,
  `create index poison_event_age on poison_event (event_at)`,
  // Running processes, by their heartbeat.
  `create table process (id text primary key, kind text not null, version text not null, build_id text not null, host text not null,
     started_at timestamptz not null, heartbeat_at timestamptz not null default now())`,
  `create index process_heartbeat on process (heartbeat_at)`,
  // For lists of jobs across keys.
  `create index job_status on job (status, id)`,
  `create index job_created on job (created_at)`,
];

/** Creates pauses of deliveries, events that failed to dispatch, and processes; lists jobs across keys. */
export class Operations extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
