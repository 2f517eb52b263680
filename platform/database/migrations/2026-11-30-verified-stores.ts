import { Migration } from '@mikro-orm/migrations';
import { runAsOwner } from '../run-as-owner.ts';

const exists = (tables: readonly string[], condition: string): string =>
  tables.map((table) => `exists (select from ${table} r where ${condition})`).join(' or ');

const ofUsers = [
  'thread_view',
  'notice',
  'notice_window',
  'outgoing',
  'delivery_log',
  'slack_identity',
  'named_recipient',
];
const counters = 'r.comment_annotations + r.comments + r.reactions + r.recordings > 0';

/** SQL: whether the deletion `new` may have to remove or change records that release 0.2.0 does not know. */
const hasLaterRecords = `
       exists (select from organization o where o.api_key_id = new.api_key_id
         and (${exists(['thread', 'recording'], 'r.org_id = o.id')}))
       or ${exists(['usage_hour', 'usage_day'], `r.api_key_id = new.api_key_id and ${counters}`)}
       or exists (select from user_deletion d where d.job_id = new.job_id and (${exists(ofUsers, 'r.user_id = d.user_id')}))`;

const statements = [
  `alter table user_data_deletion add column verified_stores text[], add column revision int not null default 0`,
  // A worker of release 0.2.0 leaves `revision` as it is. Its step fails with its batch and is retried, until a worker
  // takes it that knows all records. A cancellation, whose receipt is not verified, succeeds.
  `create function refuse_partial_deletion() returns trigger language plpgsql as $$
     begin
       if ${hasLaterRecords} then
         raise exception 'Only a worker of a later release may continue this deletion: it has records that this release does not know.';
       end if;
       return new;
     end $$`,
  runAsOwner(['refuse_partial_deletion()']),
  `create trigger whole_deletion before update on user_data_deletion for each row
     when (old.ended_at is null and not new.dry_run and new.revision = old.revision
       and (new.done_places <> old.done_places or new.stand::text is distinct from old.stand::text
         or new.counts::text <> old.counts::text or new.ended_at is not null and new.verified_at is not null))
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
  runAsOwner(['refuse_partial_key_deletion()']),
  `create trigger whole_key_deletion before update on key_deletion for each row
     when (old.verified_at is null and new.verified_at is not null) execute function refuse_partial_key_deletion()`,
];

/**
 * Adds the names of the stores that the verification scan of a deletion has covered, and a number that each change by
 * this release increases. Prevents workers of release 0.2.0, which run beside those of later releases, from processing
 * deletions of data that they do not know.
 */
export class VerifiedStores extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
