import { Migration } from '@mikro-orm/migrations';

const endpoints = [
  // 0: of advanced webhooks. 1 and 2: the raw and the processed URL of the basic webhook, which no operation on endpoints shows.
  `alter table webhook_endpoint add column kind smallint not null default 0`,
  // While it lies ahead, a dispatcher promises to look at the key's outbox once more after it: a writer whose commit is
  // earlier need not wake one.
  `create table webhook_dispatch (api_key_id bigint primary key references api_key, draining_until timestamptz not null)
     with (fillfactor = 50)`,
  // The same of an endpoint's deliverer and what is due, read by the dispatcher.
  `create table webhook_drain (endpoint_id bigint primary key references webhook_endpoint, api_key_id bigint not null,
     draining_until timestamptz not null) with (fillfactor = 50)`,
  `create index event_public on event (public_id)`,
];

const deliveries = [
  // retry_at: when the retry schedule has its next attempt, null once it is over. next_at: when the next attempt is due,
  // for whatever reason; null once there is none; not_before: what the receiver asked for. step counts attempts of the
  // schedule, attempts all of them, resends those asked for by hand and not made yet. What is updated while a message is
  // pending is indexed by next_at alone.
  `create table delivery (event_at timestamptz not null, event_id bigint not null, api_key_id bigint not null, endpoint_id bigint not null,
     sequence bigint, status smallint not null default 0, status_reason text, step smallint not null default 0,
     attempts smallint not null default 0, resends smallint not null default 0, retry_at timestamptz default now(),
     next_at timestamptz default now(), not_before timestamptz, claimed_until timestamptz,
     primary key (endpoint_id, event_at, event_id)) partition by range (event_at)`,
  `create table delivery_default partition of delivery default`,
  `create index delivery_due on delivery (endpoint_id, next_at) where status = 0`,
];

const attempts = [
  // A message's attempts are found by the event: (event_at, event_id) is its key.
  `create table attempt (event_at timestamptz not null, event_id bigint not null, api_key_id bigint not null, endpoint_id bigint not null,
     no smallint not null, at timestamptz not null default now(), trigger smallint not null, status smallint not null,
     http_status smallint, ms int not null, error text, response text not null default '',
     primary key (event_id, endpoint_id, no, at)) partition by range (at)`,
  `create table attempt_default partition of attempt default`,
  `create index attempt_endpoint on attempt (endpoint_id, at)`,
];

/** What is sent to webhook endpoints: a delivery is an event for one endpoint, an attempt one try to bring it there. */
export class Webhooks extends Migration {
  override up(): void {
    for (const statement of [...endpoints, ...deliveries, ...attempts]) this.addSql(statement);
  }
}
