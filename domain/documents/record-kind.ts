import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Where a walk over records stands: values of the index that it goes along, as the database writes them. */
export type RecordCursor = readonly string[];

/** A step of a walk. `last` is null when there is nothing behind it. */
export interface RecordBatch {
  readonly records: number;
  readonly last: RecordCursor | null;
}

export interface RecordRange {
  readonly tenantId: string;
  /** Surrogate keys, ascending. */
  readonly documents: readonly string[];
  /** Null at the start. */
  readonly after: RecordCursor | null;
}

/** A kind of records that hang on a document. `cascade/record-kinds.ts` lists all of them. */
export interface RecordKind {
  /** As `counts` names it. */
  readonly name: string;
  /** Counts the next records; short at any number of them. */
  count(em: EntityManager, range: RecordRange): Promise<RecordBatch>;
  /** Removes the next records with all that hangs on them, few enough for one short transaction. */
  remove(em: EntityManager, range: RecordRange): Promise<RecordBatch>;
}

/** What the statement of a step answers: how many records, and the place of the last one. */
export const RecordBatchRow = z.strictObject({
  records: z.number(),
  last: z.array(z.string()).readonly().nullable(),
});
export type RecordBatchRow = z.infer<typeof RecordBatchRow>;

/** A step that found fewer records than it may take was the last one. */
export function recordBatch(found: RecordBatchRow | undefined, limit: number): RecordBatch {
  const records = found?.records ?? 0;
  return { records, last: records < limit ? null : (found?.last ?? null) };
}

/** Removes some of what hangs on deleted places, few enough rows for one short transaction; answers how many, 0 at the end. */
export type RemoveContainerRecords = (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
) => Promise<number>;

/** A kind of rows that hang on a folder or an organization itself, and on no document. `cascade/container-records.ts` lists all of them. */
export interface ContainerRecords {
  readonly folders?: RemoveContainerRecords | undefined;
  readonly organizations?: RemoveContainerRecords | undefined;
}
