import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../platform/database/orm.ts';
import { rowOf } from '../platform/database/statements.ts';

const LastRow = z.strictObject({ last_value: z.string().nullable() });

/** Returns the last surrogate key that PostgreSQL assigned, committed or not; '0' before the first. */
export async function lastKey(em: EntityManager, table: string): Promise<string> {
  const found = await rowOf(
    em,
    LastRow,
    sql`select last_value from pg_sequences where schemaname = current_schema() and sequencename = ${`${table}_id_seq`}`,
  );
  return found?.last_value ?? '0';
}
