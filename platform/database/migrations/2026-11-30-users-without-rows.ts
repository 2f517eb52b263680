import { Migration } from '@mikro-orm/migrations';

const statements = [
  `create function refuse_left_rows() returns trigger language plpgsql as $$
     begin
       if exists (
         select from gone g
         where exists (select from slack_identity s where s.user_id = g.id)
           or exists (select from notice n where n.user_id = g.id)
           or exists (select from outgoing o where o.user_id = g.id)
           or exists (select from delivery_log l where l.user_id = g.id)) then
         raise foreign_key_violation using message = 'Rows still refer to a user.';
       end if;
       return null;
     end $$`,
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
