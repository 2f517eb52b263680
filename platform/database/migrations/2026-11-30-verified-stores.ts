import { Migration } from '@mikro-orm/migrations';

const laterRows = `exists (
       select from organization o where o.api_key_id = new.api_key_id
         and (exists (select from thread t where t.org_id = o.id) or exists (select from recording r where r.org_id = o.id)))
       or exists (
         select from user_deletion d where d.job_id = new.job_id
           and (exists (select from notice n where n.user_id = d.user_id)
             or exists (select from notice_window w where w.user_id = d.user_id)
             or exists (select from outgoing g where g.user_id = d.user_id)
             or exists (select from delivery_log l where l.user_id = d.user_id)
             or exists (select from slack_identity s where s.user_id = d.user_id)
             or exists (select from named_recipient r where r.user_id = d.user_id)))`;

const statements = [
  'alter table user_data_deletion add column verified_stores text[]',
  // A worker of release 0.2.0 knows neither these tables nor the column. Its step fails and is retried, until a worker
  // that knows them takes it.
  `create function refuse_partial_deletion() returns trigger language plpgsql as $$
     begin
       if ${laterRows} then
         raise exception 'Only a worker of a later release may complete this deletion: it has data that this release does not know.';
       end if;
       return new;
     end $$`,
  `create trigger whole_deletion before update on user_data_deletion for each row
     when (old.ended_at is null and new.ended_at is not null and new.verified_at is not null and new.verified_stores is null)
     execute function refuse_partial_deletion()`,
  `create function refuse_partial_key_deletion() returns trigger language plpgsql as $$
     begin
       if exists (
         select from job j where j.id = new.job_id
           and (exists (select from mail_suppression m where m.api_key_id = j.api_key_id)
             or exists (select from console_session c where c.kind = 'apiKey' and c.owner_id = j.api_key_id))) then
         raise exception 'Only a worker of a later release may complete this deletion: the key has rows that this release does not know.';
       end if;
       return new;
     end $$`,
  `create trigger whole_key_deletion before update on key_deletion for each row
     when (old.verified_at is null and new.verified_at is not null) execute function refuse_partial_key_deletion()`,
];

/**
 * Adds the names of the stores that the verification scan of a deletion has covered. Prevents workers of release 0.2.0,
 * which run beside those of later releases, from completing deletions that leave data in tables they do not know.
 */
export class VerifiedStores extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
