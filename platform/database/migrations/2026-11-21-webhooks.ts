import { Migration } from '@mikro-orm/migrations';

const endpoints = [
  // 0: advanced webhooks. 1 and 2: the raw and the processed URL of the basic webhook, which endpoint operations do not
  // show.
  `alter table webhook_endpoint add column kind smallint not null default 0`,
  // Until draining_until, a dispatcher promises to read the key's outbox once more afterwards: a writer that commits
  // before it need not wake a dispatcher.
  `create table webhook_dispatch (api_key_id bigint primary key references api_key, draining_until timestamptz not null)
     with (fillfactor = 50)`,
  // The same promise of an endpoint's deliverer, for due messages.
  `create table webhook_drain (endpoint_id bigint primary key references webhook_endpoint, api_key_id bigint not null,
     draining_until timestamptz not null) with (fillfactor = 50)`,
  `create index event_public on event (public_id)`,
];

const deliveries = [
  // retry_at: next attempt of the retry schedule; null after the last. next_at: next attempt for any reason; null
  // without one. not_before: the earliest time that the receiver requested. step counts scheduled attempts, attempts
  // all of them, resends the requested ones that are pending. Only next_at is indexed, because pending messages change
  // the others.
  `create table delivery (event_at timestamptz not null, event_id bigint not null, api_key_id bigint not null, endpoint_id bigint not null,
     sequence bigint, status smallint not null default 0, status_reason text, step smallint not null default 0,
     attempts smallint not null default 0, resends smallint not null default 0, retry_at timestamptz default now(),
     next_at timestamptz default now(), not_before timestamptz, claimed_until timestamptz,
     primary key (endpoint_id, event_at, event_id)) partition by range (event_at)`,
  `create table delivery_default partition of delivery default`,
  `create index delivery_due on delivery (endpoint_id, next_at) where status = 0`,
];

const attempts = [
  // The key begins with the event, by which a message's attempts are found.
  `create table attempt (event_at timestamptz not null, event_id bigint not null, api_key_id bigint not null, endpoint_id bigint not null,
     no smallint not null, at timestamptz not null default now(), trigger smallint not null, status smallint not null,
     http_status smallint, ms int not null, error text, response text not null default '',
     primary key (event_id, endpoint_id, no, at)) partition by range (at)`,
  `create table attempt_default partition of attempt default`,
  `create index attempt_endpoint on attempt (endpoint_id, at)`,
];

/** Creates deliveries and attempts: a delivery is one event for one endpoint, an attempt is one request. */
export class Webhooks extends Migration {
  override up(): void {
    for (const statement of [...endpoints, ...deliveries, ...attempts]) this.addSql(statement);
  }
}
