import { Migration } from '@mikro-orm/migrations';

const crdt = [
  // version counts writes; state_revision counts replacements of state. decoded is the JSON of the content at
  // decoded_version; the log holds the updates between decoded_version and version.
  `create table crdt (id bigint generated always as identity primary key, api_key_id bigint not null,
     org_id bigint not null references organization, document_id bigint not null references document,
     editor_id text collate "C" not null check (octet_length(editor_id) between 1 and 1000), type smallint not null,
     content_key text not null, state bytea not null, state_revision bigint not null default 1, version bigint not null default 1,
     decoded text not null, decoded_bytes int not null, decoded_version bigint not null default 1,
     last_update timestamptz not null default now(), last_updated_by bigint, session_id text)`,
  // These columns are read whole or not at all: compression would cost more than it saves.
  `alter table crdt alter column state set storage external, alter column decoded set storage external`,
  `create unique index crdt_editor on crdt (document_id, editor_id)`,
  `create index crdt_organization on crdt (org_id)`,
  `create index crdt_user on crdt (last_updated_by, org_id, id) where last_updated_by is not null`,
];

const log = [
  // Yjs updates that are not yet merged into crdt.state. seq is the version that the update created.
  `create table crdt_update (crdt_id bigint not null references crdt, seq bigint not null, api_key_id bigint not null,
     bytes bytea not null, primary key (crdt_id, seq))`,
  // Records written since their last event, one row per record: writes within 5 s share an event.
  `create table crdt_event (crdt_id bigint primary key references crdt, api_key_id bigint not null, due_at timestamptz not null)`,
  `create index crdt_event_due on crdt_event (due_at)`,
];

/** Creates collaborative data, its updates and its pending events. */
export class Crdt extends Migration {
  override up(): void {
    for (const statement of [...crdt, ...log]) this.addSql(statement);
  }
}
