import { Migration } from '@mikro-orm/migrations';

const slots = [0, 1, 2] as const;

/**
 * Tables that inherit, not `for values`, which would add the time to the parents' primary keys: release 0.2.0 reads,
 * deletes and writes by the parents' names.
 */
const tables = slots.flatMap((slot) => {
  const [response, decision] = [`idempotency_${String(slot)}`, `provider_answer_${String(slot)}`];
  return [
    `create table ${response} (primary key (scope, scope_id, key_hash)) inherits (idempotency)`,
    // Release 0.2.0 reads it to delete expired rows.
    `create index ${response}_age on ${response} using brin (created_at)`,
    `create table ${decision} (primary key (api_key_id, config_version, user_id, kind, resource_id)) inherits (provider_answer)`,
    `create index ${decision}_user on ${decision} (user_id)`,
  ];
});

const functions = [
  // The partition of rows written at a time: one per UTC day. Without a search path, so that PostgreSQL inlines it.
  `create function rotation_slot(at timestamptz) returns int language sql immutable
   as 'select (floor(extract(epoch from at) / 86400)::bigint % 3)::int'`,
  // Runs as its owner: the role of API and worker need not own the tables. Tomorrow's partition holds rows of the day
  // before yesterday. The second check covers a lock that was granted after midnight.
  `create function empty_next_slot(parent text) returns void language plpgsql security definer as $$
   declare
     next name := format('%s_%s', parent, rotation_slot(clock_timestamp() + interval '1 day'));
   begin
     if parent not in ('idempotency', 'provider_answer') then raise exception 'Table without rotating partitions.'; end if;
     if pg_relation_size(next::regclass) = 0 then return; end if;
     execute format('lock table only %I in access exclusive mode', next);
     if next = format('%s_%s', parent, rotation_slot(clock_timestamp() + interval '1 day')) then
       execute format('truncate only %I', next);
     end if;
   end $$`,
  // A row is unique over parent and partitions. Writers of one key hold its advisory lock, release 0.2.0 among them.
  `create function supersede_idempotency() returns trigger language plpgsql as $$
   begin
     delete from idempotency i where i.scope = new.scope and i.scope_id = new.scope_id and i.key_hash = new.key_hash
       and i.tableoid <> tg_relid;
     return new;
   end $$`,
  `create trigger supersede before insert on idempotency for each row execute function supersede_idempotency()`,
  // Locks the user's row, so that concurrent writers of the user's decisions wait for each other.
  `create function supersede_provider_answer() returns trigger language plpgsql as $$
   begin
     perform from app_user where id = new.user_id for no key update;
     delete from provider_answer a where a.api_key_id = new.api_key_id and a.config_version = new.config_version
       and a.user_id = new.user_id and a.kind = new.kind and a.resource_id = new.resource_id and a.tableoid <> tg_relid;
     return new;
   end $$`,
  ...['provider_answer', ...slots.map((slot) => `provider_answer_${String(slot)}`)].map(
    (table) =>
      `create trigger supersede before insert on ${table} for each row execute function supersede_provider_answer()`,
  ),
  // A fixed search path: temporary objects of the caller cannot replace the schema's own. pg_catalog comes first.
  `do $$
   declare signature text;
   begin
     foreach signature in array array['empty_next_slot(text)', 'supersede_idempotency()', 'supersede_provider_answer()'] loop
       execute format('alter function %s set search_path = %I, pg_temp', signature, current_schema());
       execute format('revoke all on function %s from public', signature);
     end loop;
   end $$`,
];

// A column, because release 0.2.0 alerts on every row. First, so that no writer of a large table waits for its lock.
const rotation = `alter table sweep_step add column rotated_at timestamptz`;

/** Three partitions, one per day in turn, for responses of idempotency keys and decisions of permission providers. */
export class RotatingPartitions extends Migration {
  override up(): void {
    for (const statement of [rotation, ...tables, ...functions]) this.addSql(statement);
  }
}
