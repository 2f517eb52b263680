import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import { kyselyOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { decryptsOldestSecret, otherKeys } from '../signing/oldest-secret.ts';

/**
 * Returns a check of a migrated database, which returns why a process with this configuration cannot serve. After its
 * first success it reads nothing: later changes by other processes do not make a serving process unready. Rejects while
 * the database is unavailable.
 */
export function checkMisconfiguration(
  database: Database,
  keyRing: KeyRing,
): () => Promise<string | undefined> {
  let passed = false;
  return async () => {
    if (passed) return undefined;
    if (!(await mayReadTables(database)))
      return 'The role of DATABASE_URL lacks privileges. Run: npm run cli -- migrate, with DATABASE_RUNTIME_ROLE';
    if (!(await decryptsOldestSecret(database, keyRing))) return otherKeys;
    passed = true;
    return undefined;
  };
}

/**
 * Whether the role may read every table: it has no privileges on new ones after a `migrate` without
 * `DATABASE_RUNTIME_ROLE`. Partitions are read by their parents.
 */
async function mayReadTables({ orm, probe }: Database): Promise<boolean> {
  const em = orm.em.fork();
  const names = [...em.getMetadata().getAll().values()].map(({ tableName }) => tableName);
  const statement = sql`select from pg_class c
    where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relname = any(${names}::text[])
      and c.relkind in ('r', 'p') and not c.relispartition and not has_table_privilege(c.oid, 'select') limit 1`;
  return (await probe(statement.compile(kyselyOf(em)))).length === 0;
}
