import type { TestDatabase } from './database.ts';

/** Refuses the first write to a table as if a deadlock had ended its transaction. Returns whether that has happened. */
export async function deadlockOnce(database: TestDatabase, table: string): Promise<() => Promise<boolean>> {
  const name = `deadlock_of_${table}`;
  // A rollback does not reset a sequence.
  await database.sql(`create sequence ${name}`);
  await database.sql(`create function ${name}() returns trigger language plpgsql as $$ begin
    if nextval('${name}') = 1 then raise exception using errcode = '40P01'; end if; return new; end $$`);
  await database.sql(
    `create trigger ${name} before insert or update on ${table} for each row execute function ${name}()`,
  );
  return async () => {
    const [written] = await database.sql<{ is_called: boolean }>(`select is_called from ${name}`);
    return written?.is_called === true;
  };
}
