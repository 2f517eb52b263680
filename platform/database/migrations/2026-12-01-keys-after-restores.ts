import { Migration } from '@mikro-orm/migrations';
import { runAsOwner } from '../run-as-owner.ts';

/** More keys than a lost database has assigned since its backup. 900,000 restores stay below 2^53. */
const skippedKeys = 10_000_000_000;

const statements = [
  // A trigger, because the role of API and worker may not set a sequence. Its effect is that of each detected restore.
  `create function skip_lost_keys() returns trigger language plpgsql as $$
     declare
       name text;
     begin
       if new.epoch > coalesce(old.epoch, 1) then
         foreach name in array array['app_user', 'organization', 'document'] loop
           name := pg_get_serial_sequence(name, 'id');
           perform setval(name, nextval(name) + ${String(skippedKeys)});
         end loop;
       end if;
       return null;
     end $$`,
  runAsOwner(['skip_lost_keys()']),
  `create trigger restore_state_keys after insert or update of epoch on restore_state
     for each row execute function skip_lost_keys()`,
];

/**
 * With each restore, skips the keys that the lost database has assigned after the backup: links in e-mails contain those
 * of users, organizations and documents.
 */
export class KeysAfterRestores extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
