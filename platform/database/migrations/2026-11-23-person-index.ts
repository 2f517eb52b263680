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
  // Blocks of consecutive records whose free JSON contains a name: a userId of an object, or a key. A name is a 64-bit
  // hash, so a row may be a false positive, never a false negative: records are read before they are changed.
  `create table json_name (api_key_id bigint not null, kind smallint not null, name_hash bigint not null, block bigint not null,
     primary key (api_key_id, kind, name_hash, block))`,
  // The same for events (endpoint_id 0) and for responses of an endpoint, by the second of their time.
  `create table moment_name (api_key_id bigint not null, endpoint_id bigint not null, name_hash bigint not null, at timestamptz not null,
     primary key (api_key_id, name_hash, endpoint_id, at)) partition by range (at)`,
  `create table moment_name_default partition of moment_name default`,
  // Current and previous addresses of a user in lower case, and user ids that look like addresses.
  `create table user_address (api_key_id bigint not null, address text collate "C" not null, user_id bigint not null references app_user on delete cascade,
     created_at timestamptz not null default now(), primary key (api_key_id, address, user_id))`,
  `create index user_address_user on user_address (user_id)`,
  // Time at which users were removed from the payload: responses to earlier attempts are not stored afterwards.
  `alter table event add column scrubbed_at timestamptz`,
  // Workers index the rows of earlier releases. position: the cursor; ended_at: all rows are indexed.
  `create table json_name_build (kind smallint primary key, position text, ended_at timestamptz)`,
  `create index json_name_build_open on json_name_build (kind) where ended_at is null`,
  ...kinds.map(
    ([kind, table]) => `insert into json_name_build (kind, ended_at)
      select ${String(kind)}, case when not exists (select from ${table}) then now() end`,
  ),
];

/** Creates the index of users in free JSON. */
export class PersonIndex extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
