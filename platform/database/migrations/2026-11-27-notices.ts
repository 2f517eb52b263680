import { Migration } from '@mikro-orm/migrations';

const waiting = [
  `create table notice (id bigint generated always as identity primary key, api_key_id bigint not null, org_id bigint not null,
     document_id bigint not null, user_id bigint not null, notification_id bigint not null, channel smallint not null,
     state smallint not null, why smallint not null, verify boolean not null, audience bigint not null, in_inbox boolean not null,
     due_at timestamptz not null, delivery_id bigint, created_at timestamptz not null default now())
   with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01)`,
  // A notification has one waiting notice per user and channel, beside those that a delivery has claimed.
  `create unique index notice_once on notice (notification_id, user_id, channel, delivery_id) nulls not distinct`,
  `create index notice_due on notice (api_key_id, channel, due_at) where state = 0`,
  `create index notice_user on notice (user_id, org_id, channel, document_id, id)`,
  `create index notice_delivery on notice (delivery_id) where delivery_id is not null`,
  // document_id 0: the user's batch window for the organization.
  `create table notice_window (user_id bigint not null, channel smallint not null, org_id bigint not null, document_id bigint not null,
     api_key_id bigint not null, closes_at timestamptz not null, primary key (user_id, channel, org_id, document_id))`,
  `create index notice_window_due on notice_window (api_key_id, channel, closes_at)`,
  `create table outgoing (id bigint generated always as identity primary key, public_id text not null, api_key_id bigint not null,
     org_id bigint not null, user_id bigint not null, channel smallint not null, digest boolean not null,
     attempts json not null default '[]', next_at timestamptz not null, claimed_until timestamptz,
     created_at timestamptz not null default now())`,
  `create unique index outgoing_public on outgoing (public_id)`,
  `create index outgoing_due on outgoing (api_key_id, channel, next_at)`,
  `create index outgoing_user on outgoing (user_id, org_id, id)`,
  `create index outgoing_org on outgoing (org_id, created_at, id)`,
];

const ended = [
  `create table delivery_log (id bigint not null, at timestamptz not null, api_key_id bigint not null, org_id bigint not null,
     user_id bigint not null, channel smallint not null, provider smallint, status smallint not null, reason smallint,
     digest boolean not null, public_id text not null, provider_ref text, attempts json not null, ended_at timestamptz not null,
     primary key (at, id)) partition by range (at)`,
  `create table delivery_log_default partition of delivery_log default`,
  `create index log_org on delivery_log (org_id, at, id)`,
  `create index log_user on delivery_log (user_id, org_id, at, id)`,
  `create index log_public on delivery_log (public_id)`,
  `create table delivery_item (at timestamptz not null, delivery_id bigint not null, notification_id bigint not null,
     document_id bigint not null, primary key (at, delivery_id, notification_id)) partition by range (at)`,
  `create table delivery_item_default partition of delivery_item default`,
  `create index item_notification on delivery_item (notification_id, at)`,
  `create index item_document on delivery_item (document_id, at)`,
];

const channels = [
  `create table channel_state (api_key_id bigint not null, channel smallint not null, reason smallint, since timestamptz,
     next_try timestamptz, primary key (api_key_id, channel))`,
  `create table mail_suppression (api_key_id bigint not null, address_hash bytea not null, reason smallint not null,
     at timestamptz not null default now(), primary key (api_key_id, address_hash))`,
  `create table slack_identity (user_id bigint primary key, api_key_id bigint not null, config_version int not null, slack_id text,
     found_at timestamptz not null)`,
];

/** Creates notices, deliveries of e-mails and Slack messages, and the state of their channels. */
export class Notices extends Migration {
  override up(): void {
    for (const statement of [...waiting, ...ended, ...channels]) this.addSql(statement);
  }
}
