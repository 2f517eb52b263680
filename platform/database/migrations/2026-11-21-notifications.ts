import { Migration } from '@mikro-orm/migrations';

const notifications = [
  `create sequence notification_audience_seq`,
  // revision counts changes of the texts; a recipient has read the notification when read_revision equals it.
  // recipient_count changes with the recipients. audience links the recipients: new recipients get a new audience, and
  // the rows of the old one become invisible.
  `create table notification (id bigint generated always as identity primary key, api_key_id bigint not null, org_id bigint not null,
     document_id bigint not null references document, ext_id text collate "C" not null check (octet_length(ext_id) between 1 and 1000),
     location_id text collate "C" check (octet_length(location_id) between 1 and 1000), source smallint not null, actor_id bigint not null,
     ts bigint not null, audience bigint not null default nextval('notification_audience_seq'), revision int not null default 1, recipient_count int not null default 0,
     mentioned bigint[] not null default '{}', content_hash bytea, body json not null)
   with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02)`,
  `create unique index notification_ext on notification (org_id, ext_id)`,
  `create unique index notification_audience on notification (audience)`,
  `create index notification_document on notification (document_id, ts, id)`,
  `create index notification_location on notification (document_id, location_id, ts, id) where location_id is not null`,
  `create index notification_actor on notification (actor_id, org_id, id)`,
];

const recipients = [
  // Copies document, location and time of the notification, so that one index serves a user's notifications. No foreign
  // key: an audience of any size becomes invisible at once, and its rows are deleted later. email: the address as sent.
  `create table notification_recipient (user_id bigint not null, audience_id bigint not null, api_key_id bigint not null,
     org_id bigint not null, document_id bigint not null, location_id text collate "C", ts bigint not null,
     read_revision int not null default 0, email text, primary key (audience_id, user_id))
   with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02)`,
  `create index recipient_org on notification_recipient (user_id, org_id, ts, audience_id)`,
  `create index recipient_document on notification_recipient (user_id, document_id, ts, audience_id)`,
  `create index recipient_location on notification_recipient (user_id, org_id, location_id, ts, audience_id) where location_id is not null`,
];

const preferences = [
  // document_id 0: the whole organization. A null channel inherits the outer setting.
  `create table preference (user_id bigint not null references app_user, org_id bigint not null, document_id bigint not null default 0,
     api_key_id bigint not null, inbox smallint, email smallint, slack smallint, updated_at timestamptz not null default now(),
     primary key (user_id, org_id, document_id))`,
  `create index preference_document on preference (document_id, user_id) where document_id <> 0`,
  `create index preference_organization on preference (org_id, document_id, user_id)`,
];

/** Creates notifications, their recipients, and users' preferences. */
export class Notifications extends Migration {
  override up(): void {
    for (const statement of [...notifications, ...recipients, ...preferences]) this.addSql(statement);
  }
}
