import { Migration } from '@mikro-orm/migrations';

const functions = [
  // As before, but keeps responses that must be replayed: after PostgreSQL's clock stepped back over midnight, the next
  // partition has those of today. `since` is a variable and sequential scans are off, so that the BRIN index is used.
  `create or replace function empty_next_slot(parent text) returns void language plpgsql security definer as $$
   declare
     next name := format('%s_%s', parent, rotation_slot(clock_timestamp() + interval '1 day'));
     since timestamptz := clock_timestamp() - interval '24 hours';
     recent boolean := false;
   begin
     if parent not in ('idempotency', 'provider_answer') then
       raise exception 'Table without rotating partitions.';
     end if;
     if pg_relation_size(next::regclass) = 0 then return; end if;
     if parent = 'idempotency' then
       execute format('select exists (select from only %I where created_at > $1)', next) into recent using since;
       if recent then return; end if;
     end if;
     execute format('lock table only %I in access exclusive mode', next);
     if parent = 'idempotency' then
       execute format('select exists (select from only %I where created_at > $1)', next) into recent using since;
     end if;
     if not recent and next = format('%s_%s', parent, rotation_slot(clock_timestamp() + interval '1 day')) then
       execute format('truncate only %I', next);
     end if;
   end $$`,
  'alter function empty_next_slot(text) set enable_seqscan = off',
  `do $$ begin
     execute format('alter function empty_next_slot(text) set search_path = %I, pg_temp', current_schema());
   end $$`,
];

/** Never empties a partition with responses of idempotency keys of the last 24 hours. */
export class RecentResponses extends Migration {
  override up(): void {
    for (const statement of functions) this.addSql(statement);
  }
}
