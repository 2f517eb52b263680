import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowOf } from '../../platform/database/statements.ts';
import { scopeNumbers } from '../idempotency/idempotency.entity.ts';
import type { Job } from '../jobs/job.entity.ts';
import { scannedTables } from './key-tables.ts';

const FoundRow = z.strictObject({ found: z.boolean() });

/**
 * SQL: the conditions of the key's rows in tables that name their owner by a kind and a key: responses stored for
 * idempotency keys, and sessions of the console.
 */
export const rowsByOwner = ({ apiKeyId }: Pick<Job, 'apiKeyId'>) => ({
  idempotency: sql`scope = ${sql.lit(scopeNumbers.apiKey)} and scope_id = ${apiKeyId}`,
  console_session: sql`kind = 'apiKey' and owner_id = ${apiKeyId}`,
});

/**
 * Max seconds from the authentication of a call to its last write: 30 until it acts, which the API enforces, and the
 * longest act, with calls of other services.
 */
export const longestCallSeconds = 160;

/** Returns whether no call that was authenticated before the deletion can still write rows, by PostgreSQL's clock. */
export async function isQuiet(em: EntityManager, { id }: Job): Promise<boolean> {
  const row = await rowOf(
    em,
    FoundRow,
    sql`select requested_at < now() - ${longestCallSeconds} * interval '1 second' as found from key_deletion
      where job_id = ${id}`,
  );
  return row?.found === true;
}

/** The verification scan: returns whether a row of the key is left, other than the job of its deletion. */
export async function rowsAreLeft(em: EntityManager, job: Job): Promise<boolean> {
  const ofKey = sql`api_key_id = ${job.apiKeyId}`;
  const conditions = [
    ...scannedTables.map(
      (table) => [table, table === 'job' ? sql`${ofKey} and id <> ${job.id}` : ofKey] as const,
    ),
    ...Object.entries(rowsByOwner(job)),
  ];
  for (const [table, condition] of conditions) {
    const { found } = await onlyRowOf(
      em,
      FoundRow,
      sql`select exists (select from ${sql.table(table)} where ${condition}) as found`,
    );
    if (found) return true;
  }
  return false;
}
