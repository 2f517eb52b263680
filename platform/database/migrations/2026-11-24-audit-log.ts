import { Migration } from '@mikro-orm/migrations';

const tables = [
  // Public ids, not surrogate keys: entries outlive keys and workspaces. Users appear as pseudonyms only.
  `create table audit_entry (at timestamptz not null default clock_timestamp(), id uuid not null default gen_random_uuid(),
     workspace_id text, key_id text, actor_kind text not null, actor text, address text, action text not null, target text,
     outcome text not null, before json, after json, request_id text, dropped int not null default 0,
     primary key (at, id)) partition by range (at)`,
  `create table audit_entry_default partition of audit_entry default`,
  `create index audit_entry_workspace on audit_entry (workspace_id, at, id)`,
  `create index audit_entry_key on audit_entry (key_id, at, id)`,
  `create index audit_entry_target on audit_entry (target, at, id)`,
  // One row, which `migrate` writes: the role of API and worker must not choose the retention.
  `create table audit_retention (id int primary key default 1 check (id = 1), days int not null)`,
  `insert into audit_retention (days) values (365)`,
];

const immutability = [
  // Row triggers are inherited by partitions, triggers on truncate are not.
  `create function keep_audit_entry() returns trigger language plpgsql as $$
   begin
     if tg_op = 'DELETE' then
       if old.at < now() - (select days * interval '1 day' from audit_retention) then return old; end if;
     end if;
     raise exception 'Audit entries cannot be changed.' using errcode = 'insufficient_privilege';
   end $$`,
  `create trigger audit_entry_kept before update or delete on audit_entry for each row execute function keep_audit_entry()`,
  `create trigger audit_entry_not_truncated before truncate on audit_entry for each statement execute function keep_audit_entry()`,
  `create trigger audit_entry_not_truncated before truncate on audit_entry_default for each statement execute function keep_audit_entry()`,
];

/* The functions run as their owner, so that the role of API and worker need not own the tables. */
const partitions = [
  `create function create_audit_partitions() returns void language plpgsql security definer as $$
   declare
     month timestamp := date_trunc('month', now() at time zone 'UTC');
     partition text;
   begin
     for ahead in 0..2 loop
       partition := 'audit_entry_' || to_char(month, 'YYYYMM');
       if to_regclass(partition) is null then
         begin
           execute format('create table %I partition of audit_entry for values from (%L) to (%L)', partition,
             month::text || '+00', (month + interval '1 month')::text || '+00');
           execute format('create trigger audit_entry_not_truncated before truncate on %I for each statement
             execute function keep_audit_entry()', partition);
         exception
           -- The default partition already holds entries of the month, or another call created the partition.
           when check_violation or duplicate_table then null;
         end;
       end if;
       month := month + interval '1 month';
     end loop;
   end $$`,
  `create function drop_expired_audit_partitions() returns void language plpgsql security definer as $$
   declare
     expired timestamptz := now() - (select days * interval '1 day' from audit_retention);
     partition name;
   begin
     for partition in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'audit_entry'::regclass and c.relname ~ '^audit_entry_[0-9]{6}$'
         and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= expired loop
       execute format('drop table if exists %I', partition);
     end loop;
     delete from audit_entry_default where at < expired and ctid = any(array(
       select ctid from audit_entry_default where at < expired limit 5000));
   end $$`,
  `create function create_day_partition(parent text, day date, fillfactor int) returns void language plpgsql security definer as $$
   begin
     if parent = 'audit_entry' then raise exception 'Audit entries have partitions by month.'; end if;
     execute format('create table if not exists %I partition of %I for values from (%L) to (%L) with (fillfactor = %s)',
       parent || to_char(day, '_YYYYMMDD'), parent, day::text || ' 00:00+00', (day + 1)::text || ' 00:00+00', fillfactor);
   end $$`,
  `create function drop_day_partition(parent text, day date) returns void language plpgsql security definer as $$
   begin
     if parent = 'audit_entry' then raise exception 'Audit entries have partitions by month.'; end if;
     execute format('drop table %I', parent || to_char(day, '_YYYYMMDD'));
   end $$`,
  // A fixed search path: temporary objects of the caller cannot replace the schema's own. pg_catalog comes first.
  `do $$
   declare signature text;
   begin
     foreach signature in array array['keep_audit_entry()', 'create_audit_partitions()', 'drop_expired_audit_partitions()',
       'create_day_partition(text, date, int)', 'drop_day_partition(text, date)'] loop
       execute format('alter function %s set search_path = %I, pg_temp', signature, current_schema());
       execute format('revoke all on function %s from public', signature);
     end loop;
   end $$`,
];

/** Creates the audit log: append-only, one partition per month. */
export class AuditLog extends Migration {
  override up(): void {
    for (const statement of [...tables, ...immutability, ...partitions]) this.addSql(statement);
  }
}
