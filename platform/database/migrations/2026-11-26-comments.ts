import { Migration } from '@mikro-orm/migrations';

const threads = [
  // Each write of a thread inserts into all of its indexes: `updated_at` is indexed, so no update is heap-only.
  `create table thread (id bigint generated always as identity primary key, api_key_id bigint not null, org_id bigint not null,
     document_id bigint not null references document, ext_id text collate "C" not null check (octet_length(ext_id) between 1 and 1000),
     location_id text collate "C" check (octet_length(location_id) between 1 and 1000), creator_id bigint,
     status_id text collate "C" not null, kind smallint not null, suggestion smallint, visibility smallint not null default 0,
     resolver_id bigint, last_actor_id bigint, agent_id text collate "C", agent_type smallint, created_at bigint not null,
     updated_at bigint not null, last_comment_id bigint not null default 0, comment_count int not null default 0,
     reaction_count int not null default 0, content_bytes int not null default 0, content_hash bytea, body json not null)
   with (fillfactor = 90)`,
  `create unique index thread_ext on thread (org_id, ext_id, document_id)`,
  `create index thread_document on thread (document_id, updated_at, id)`,
  `create index thread_org on thread (org_id, updated_at, id)`,
  `create index thread_creator on thread (creator_id, org_id, updated_at, id)`,
  `create table thread_person (thread_id bigint not null, user_id bigint not null, api_key_id bigint not null, org_id bigint not null,
     roles smallint not null, primary key (thread_id, user_id))`,
  `create index thread_person_user on thread_person (user_id, org_id, thread_id)`,
  `create table thread_audience (thread_id bigint not null, kind smallint not null, ref_id bigint not null,
     api_key_id bigint not null, primary key (thread_id, kind, ref_id))`,
  `create index thread_audience_ref on thread_audience (ref_id, kind, thread_id)`,
  // thread_id 0: a mark on the whole document.
  `create table thread_view (user_id bigint not null, document_id bigint not null, thread_id bigint not null, api_key_id bigint not null,
     org_id bigint not null, viewed_at bigint not null, primary key (user_id, document_id, thread_id))`,
  `create index thread_view_document on thread_view (document_id)`,
];

const comments = [
  // No foreign key: writes lock the thread, reads start from it, and a job deletes the comments of a deleted thread.
  `create table comment (id bigint generated always as identity primary key, api_key_id bigint not null, org_id bigint not null,
     thread_id bigint not null, ext_id bigint not null, author_id bigint not null, created_at bigint not null, updated_at bigint not null,
     tagged bigint[] not null default '{}', content_hash bytea, body json not null)`,
  `create unique index comment_ext on comment (thread_id, ext_id)`,
  `create index comment_author on comment (author_id, org_id, id)`,
  `create table reaction (comment_id bigint not null, icon text collate "C" not null, user_id bigint not null, api_key_id bigint not null,
     org_id bigint not null, at bigint not null, body json not null, primary key (comment_id, icon, user_id))`,
  `create index reaction_user on reaction (user_id, org_id, comment_id)`,
];

const recordings = [
  `create table recording (id bigint generated always as identity primary key, api_key_id bigint not null, org_id bigint not null,
     document_id bigint not null references document, ext_id text collate "C" not null check (octet_length(ext_id) between 1 and 1000),
     creator_id bigint, created_at bigint not null, updated_at bigint not null, mentioned bigint[] not null default '{}',
     content_hash bytea, body json not null)`,
  `create unique index recording_ext on recording (org_id, ext_id, document_id)`,
  `create index recording_document on recording (document_id, updated_at, id)`,
  `create index recording_org on recording (org_id, updated_at, id)`,
  `create index recording_creator on recording (creator_id, org_id, id)`,
];

/** Creates comment threads with their comments, reactions and read marks, and recordings. */
export class Comments extends Migration {
  override up(): void {
    for (const statement of [...threads, ...comments, ...recordings]) this.addSql(statement);
  }
}
