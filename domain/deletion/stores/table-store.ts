import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import {
  anyOfPeople,
  hasRows,
  inScope,
  stepOf,
  runBatch,
  BatchRow,
  type PersonIndex,
} from './person-index.ts';
import type { PersonalDataKind, PersonalDataStore } from './personal-data-store.ts';

/** Rows per batch. Counting is an index-only scan. */
const chunk = { count: 100_000, remove: 5_000 } as const;

/** Declares a store: a table whose rows of a person are all deleted or blanked. */
export interface TableStore {
  readonly name: string;
  /** The kind that a row counts as; null for rows that the export does not count. */
  readonly kind: PersonalDataKind | null;
  readonly index: PersonIndex;
  /** SQL: the assignments that blank a row `t`; without them rows are deleted. */
  readonly blank?: RawBuilder<unknown>;
  /** SQL: whether a process is working on a row `t`, which is removed once that work has ended. */
  readonly inUse?: RawBuilder<unknown>;
  /** SQL: a common table expression that deletes what belongs to removed rows: `gone`, with the columns of the index. */
  readonly alsoDelete?: RawBuilder<unknown>;
}

/** A store in which every row of a person is deleted or blanked. */
export function tableStore({ name, kind, index, blank, inUse, alsoDelete }: TableStore): PersonalDataStore {
  const counted = (rows: number) => (kind === null ? {} : { [kind]: rows });
  const [person] = index.columns;
  const table = sql.table(index.table);
  const verb = blank === undefined ? sql`delete from ${table} t` : sql`update ${table} t set ${blank}`;
  const free = inUse === undefined ? sql`` : sql`and not (${inUse})`;
  return {
    name,
    kinds: kind === null ? [] : [kind],
    async remove(em, scope, after) {
      const batch = await runBatch(em, index, scope, after, {
        limit: chunk.remove,
        row: GoneRow,
        // Checks person and scope again: a concurrent write may have assigned the row to another person, and rows of
        // several partitions may have the same `ctid`.
        act: sql`gone as (${verb} where t.ctid = any(array(select tid from next))
          and ${sql.ref(`t.${person}`)} = ${anyOfPeople(scope.users)} and ${inScope(index, scope, 'in range')} ${free}
          returning ${sql.join(index.columns.map((column: string) => sql.ref(`t.${column}`)))})
          ${alsoDelete === undefined ? sql`` : sql`, ${alsoDelete}`}`,
        select: sql`(select count(*)::integer from gone) as gone`,
      });
      const step = stepOf(batch, chunk.remove, counted(batch.gone));
      if (inUse === undefined || step.last !== null) return step;
      const { any } = await hasRows(em, index, scope);
      return any ? { ...step, waits: true } : step;
    },
    async count(em, scope, after) {
      if (kind === null) return { counts: {}, last: null };
      const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
      return stepOf(batch, chunk.count, counted(batch.found));
    },
    remains: async (em, scope) => hasRows(em, index, scope),
  };
}

const GoneRow = BatchRow.extend({ gone: z.number() });
