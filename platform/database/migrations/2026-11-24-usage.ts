import { Migration } from '@mikro-orm/migrations';

const counters = [
  'requests',
  'errors',
  'bytes_in',
  'bytes_out',
  'events',
  'deliveries',
  'ai_calls',
  'ai_input_tokens',
  'ai_output_tokens',
  'organizations',
  'folders',
  'documents',
  'users',
  'user_groups',
  'activity_logs',
  'notifications',
  'crdt_records',
  'agent_executions',
]
  .map((name) => `${name} bigint not null default 0`)
  .join(', ');

const statements = [
  // Rows of the current hour are updated every few seconds: free space on the page allows heap-only tuple updates.
  `create table usage_hour (api_key_id bigint not null references api_key (id), starts_at timestamptz not null,
     ${counters}, primary key (api_key_id, starts_at)) with (fillfactor = 50)`,
  `create index usage_hour_start on usage_hour (starts_at)`,
  `create table usage_day (api_key_id bigint not null references api_key (id), starts_at timestamptz not null,
     ${counters}, primary key (api_key_id, starts_at))`,
  `create index usage_day_start on usage_day (starts_at)`,
];

/** Creates the usage of API keys per hour and per day. */
export class Usage extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
