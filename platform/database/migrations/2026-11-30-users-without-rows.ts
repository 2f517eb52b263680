import { Migration } from '@mikro-orm/migrations';
import { runAsOwner } from '../run-as-owner.ts';

const tables = [
  'slack_identity',
  'thread_view',
  'notice',
  'notice_window',
  'outgoing',
  'delivery_log',
  'named_recipient',
];

const statements = [
  `create function refuse_left_rows() returns trigger language plpgsql as $$
     begin
       if exists (
         select from gone g
         where ${tables.map((table) => `exists (select from ${table} r where r.user_id = g.id)`).join(' or ')}) then
         raise foreign_key_violation using message = 'Rows still refer to a user.';
       end if;
       return null;
     end $$`,
  runAsOwner(['refuse_left_rows()']),
  `create trigger user_without_rows after delete on app_user referencing old table as gone for each statement
     execute function refuse_left_rows()`,
];

/**
 * Keeps a user row until no other row of these tables refers to it. They have no foreign key: it would cost each notice a
 * check. So workers of release 0.2.0, which do not know the tables, cannot delete a key and leave rows of its users.
 */
export class UsersWithoutRows extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
