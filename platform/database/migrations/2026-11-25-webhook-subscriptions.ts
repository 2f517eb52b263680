import { Migration } from '@mikro-orm/migrations';
import { runAsOwner } from '../run-as-owner.ts';

/**
 * SQL: from the pairs of a type and a channel that the endpoint `row` receives; '' stands for all. Kinds 0 and 3 receive every
 * type when the list is empty; 1 and 2, the URLs of the basic webhook, receive none.
 */
export const pairsOf = (row: string): string =>
  `unnest(case when cardinality(${row}.filter_types) > 0 then ${row}.filter_types
     when ${row}.kind in (0, 3) then array[''] end) as t (type)
   cross join unnest(case when cardinality(${row}.channels) > 0 then ${row}.channels else array[''] end) as c (channel)`;

const statements = [
  `create table webhook_subscription (api_key_id bigint not null, type text not null, channel text not null,
     endpoint_id bigint not null references webhook_endpoint on delete cascade,
     primary key (api_key_id, type, channel, endpoint_id))`,
  `create index webhook_subscription_endpoint on webhook_subscription (endpoint_id)`,
  // A trigger, because API processes of the previous release also write endpoints.
  `create function write_webhook_subscription() returns trigger language plpgsql as $$
     begin
       if tg_op = 'UPDATE' then
         delete from webhook_subscription where endpoint_id = new.id;
       end if;
       if new.deleted_at is null and new.disabled_at is null then
         insert into webhook_subscription (api_key_id, type, channel, endpoint_id)
         select distinct new.api_key_id, t.type, c.channel, new.id from ${pairsOf('new')};
       end if;
       return null;
     end $$`,
  runAsOwner(['write_webhook_subscription()']),
  `create trigger webhook_endpoint_subscription
     after insert or update of filter_types, channels, kind, disabled_at, deleted_at on webhook_endpoint
     for each row execute function write_webhook_subscription()`,
];

/** Creates the types and channels of each active endpoint, by which an event finds its endpoints. */
export class WebhookSubscriptions extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
