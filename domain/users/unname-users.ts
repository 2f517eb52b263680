import { sql } from 'kysely';

/**
 * SQL: deletes the `record_user` rows of users that overwritten records no longer name. `written`: the records, with `id`
 * and `mentioned`. Must be part of the statement that writes them, whose snapshot has the users named before.
 */
export const unnamingUsers = (table: 'activity' | 'recording', kind: number) => sql`
  delete from record_user r using (
    select w.id, u.user_id from written w
      cross join lateral (select o.mentioned from ${sql.table(table)} o where o.id = w.id offset 0) o
      cross join lateral unnest(o.mentioned) as u (user_id)
    where u.user_id <> all(w.mentioned)) former
  where r.user_id = former.user_id and r.kind = ${sql.lit(kind)} and r.record_id = former.id`;
