import { sql, type RawBuilder } from 'kysely';
import { isOpenRemoval } from './job.entity.ts';

/** The kinds of records that jobs remove; `SelectedRecords` has their selections. */
export type RemovalKind = 'activities' | 'crdt' | 'notifications' | 'recordings' | 'threads';

/**
 * SQL: `org_id` and `selection` of each open job that removes records of a kind in organizations (an array of surrogate
 * keys), found by an index. The deletion that created the job has returned to its caller, so a write treats the records that a
 * selection covers as deleted: it removes and inserts them again, and their new surrogate keys exceed the job's `upTo`.
 * Otherwise the job would delete what the write wrote.
 *
 * A deletion that returned before the write began has been committed, so every statement of the write sees its job.
 */
export const openRemovals = (of: RemovalKind, organizations: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select org_id, request -> 'records' -> 'selection' as selection from job
  where org_id = any(${organizations}) and ${sql.raw(isOpenRemoval)}
    and request -> 'records' ->> 'of' = ${sql.lit(of)}`;

/**
 * SQL: whether an open removal covers a record. `columns`: what `condition` reads of a removal `m`, from `o.selection`.
 * The jobs of an organization may contain megabytes, so `organization` is a parameter of the statement and no column of
 * the record: PostgreSQL then parses them once per statement instead of once per record.
 */
export const isInOpenRemoval = (
  of: RemovalKind,
  organization: string,
  columns: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`exists (
  with removal as materialized (select ${columns} from (${openRemovals(of, sql`${[organization]}::bigint[]`)}) o)
  select from removal m where ${condition} offset 0)`;
