import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { leadingWithin } from '../../leading-within.ts';
import { runBatch, stepOf, BatchRow, type PersonIndex } from './person-index.ts';
import type { StoreCursor, PersonScope } from './personal-data-store.ts';

/** Limits of one batch: rows, and bytes of their JSON, decompressed. */
const chunk = { rows: 500, bytes: 2_097_152 } as const;

/** A batch of rows within the limits. */
export interface SizedBatch {
  /** Each row as its index columns. */
  readonly rows: readonly StoreCursor[];
  readonly last: StoreCursor | null;
}

/**
 * Returns the next rows of the people, `next n` in SQL, within the limits; at least one when any exists, unless the index
 * `examinesRows`.
 */
export async function batchBySize(
  em: EntityManager,
  index: PersonIndex,
  scope: PersonScope,
  after: StoreCursor | null,
  /** SQL: the bytes of JSON that a row refers to, decompressed. */
  stored: RawBuilder<unknown>,
): Promise<SizedBatch> {
  const columns = index.columns.map((column: string) => sql.ref(`n.${column}`));
  const texts = columns.map((column) => sql`${column}::text`);
  const batch = await runBatch(em, index, scope, after, {
    limit: chunk.rows,
    row: SizedRow,
    select: sql`(select json_agg(json_build_array(coalesce((${stored}), 0), ${sql.join(texts)})
      order by ${sql.join(columns)}) from next n) as sized`,
  });
  const sized = batch.sized ?? [];
  const taken = leadingWithin(sized, chunk.bytes, ([bytes]) => bytes);
  const rows = taken.map(([, ...row]) => row);
  const last = taken.length < sized.length ? rows.at(-1) : stepOf(batch, chunk.rows, {}).last;
  return { rows, last: last ?? null };
}

const SizedRow = BatchRow.extend({ sized: z.array(z.tuple([z.number()], z.string())).nullable() });
