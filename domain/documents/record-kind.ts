import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Cursor into the index that orders the records: its column values as PostgreSQL text. */
export type RecordCursor = readonly string[];

/** One batch of records. `last` is the cursor of the next batch; null at the end. */
export interface RecordBatch {
  readonly records: number;
  readonly last: RecordCursor | null;
}

/** Records of documents, after a cursor. */
export interface RecordRange {
  readonly tenantId: string;
  /** Surrogate keys, ascending. */
  readonly documents: readonly string[];
  /** Null at the start. */
  readonly after: RecordCursor | null;
}

/** A kind of records that belong to a document. `cascade/record-kinds.ts` lists all kinds. */
export interface RecordKind {
  /** Key of this kind in `counts`. */
  readonly name: string;
  /** Counts the next batch of records. Reads a bounded number of rows. */
  count(em: EntityManager, range: RecordRange): Promise<RecordBatch>;
  /** Deletes the next batch of records and their dependents, within one short transaction. */
  remove(em: EntityManager, range: RecordRange): Promise<RecordBatch>;
}

/** Result row of a batch statement: number of records and the cursor of the last one. */
export const RecordBatchRow = z.strictObject({
  records: z.number(),
  last: z.array(z.string()).readonly().nullable(),
});
export type RecordBatchRow = z.infer<typeof RecordBatchRow>;

/** A batch with fewer records than `limit` is the last one. */
export const batchOf = ({ records, last }: RecordBatchRow, limit: number): RecordBatch => ({
  records,
  last: records < limit ? null : last,
});

/**
 * Deletes one batch of rows of deleted folders or organizations, by surrogate key. Returns their number, 0 at the end; see
 * `deleteNext`: another attempt of the job may still run.
 */
export type RemoveContainerRecords = (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
) => Promise<number>;

/** A kind of rows that belong to a folder or an organization and to no document. `cascade/container-records.ts` lists all kinds. */
export interface ContainerRecords {
  readonly folders?: RemoveContainerRecords | undefined;
  readonly organizations?: RemoveContainerRecords | undefined;
}
