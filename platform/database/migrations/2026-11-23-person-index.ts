import { Migration } from '@mikro-orm/migrations';

/** Tables with free JSON that earlier releases wrote without an index, by the number of their kind. */
const kinds: readonly (readonly [number, string])[] = [
  [1, 'activity'],
  [2, 'notification'],
  [3, 'agent_execution'],
  [4, 'organization'],
  [5, 'folder'],
  [6, 'document'],
  [7, 'app_user'],
  [8, 'webhook_endpoint'],
  [9, 'event'],
  [10, 'attempt'],
];

const statements = [
  // Which blocks of consecutive records hold a name in their free JSON: an object's userId or a key. A name is a hash of 64 bits,
  // so a row may promise too much, never too little: records are read before anything is removed from them.
  `create table json_name (api_key_id bigint not null, kind smallint not null, name_hash bigint not null, block bigint not null,
     primary key (api_key_id, kind, name_hash, block))`,
  // The same of events (endpoint_id 0) and of responses to an endpoint, by the second of their time.
  `create table moment_name (api_key_id bigint not null, endpoint_id bigint not null, name_hash bigint not null, at timestamptz not null,
     primary key (api_key_id, name_hash, endpoint_id, at)) partition by range (at)`,
  `create table moment_name_default partition of moment_name default`,
  // Every address that a user has or had, in lower case; also the id of one whose id looks like an address.
  `create table user_address (api_key_id bigint not null, address text collate "C" not null, user_id bigint not null references app_user on delete cascade,
     created_at timestamptz not null default now(), primary key (api_key_id, address, user_id))`,
  `create index user_address_user on user_address (user_id)`,
  // When people were taken out of the payload: a response to what was sent before is not kept any more.
  `alter table event add column scrubbed_at timestamptz`,
  // Rows of earlier releases are indexed by the workers. position: where the walk is; ended_at: nothing is left to index.
  `create table json_name_build (kind smallint primary key, position text, ended_at timestamptz)`,
  `create index json_name_build_open on json_name_build (kind) where ended_at is null`,
  ...kinds.map(
    ([kind, table]) => `insert into json_name_build (kind, ended_at)
      select ${String(kind)}, case when not exists (select from ${table}) then now() end`,
  ),
];

/** Finds people in free JSON, wherever they stand in it. */
export class PersonIndex extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
