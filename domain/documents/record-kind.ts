import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Where a walk over records stands: values of the index that it goes along, as the database writes them. */
export type Place = readonly string[];

/** A step of a walk. `last` is null when there is nothing behind it. */
export interface Step {
  readonly records: number;
  readonly last: Place | null;
}

export interface Walk {
  readonly tenantId: string;
  /** Surrogate keys, ascending. */
  readonly documents: readonly string[];
  /** Null at the start. */
  readonly after: Place | null;
}

/** A kind of records that hang on a document. `cascade/record-kinds.ts` lists all of them. */
export interface RecordKind {
  /** As `counts` names it. */
  readonly name: string;
  /** Counts the next records; short at any number of them. */
  count(em: EntityManager, walk: Walk): Promise<Step>;
  /** Removes the next records with all that hangs on them, few enough for one short transaction. */
  remove(em: EntityManager, walk: Walk): Promise<Step>;
}

/** What the statement of a step answers: how many records, and the place of the last one. */
export const StepRow = z.strictObject({
  records: z.number(),
  last: z.array(z.string()).readonly().nullable(),
});
export type StepRow = z.infer<typeof StepRow>;

/** A step that found fewer records than it may take was the last one. */
export function step(found: StepRow | undefined, limit: number): Step {
  const records = found?.records ?? 0;
  return { records, last: records < limit ? null : (found?.last ?? null) };
}

/** Removes some of what hangs on deleted places, few enough rows for one short transaction; answers how many, 0 at the end. */
export type RemovePlaceRecords = (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
) => Promise<number>;

/** A kind of rows that hang on a folder or an organization itself, and on no document. `cascade/place-records.ts` lists all of them. */
export interface PlaceRecords {
  readonly folders?: RemovePlaceRecords | undefined;
  readonly organizations?: RemovePlaceRecords | undefined;
}
