import { sql, type RawBuilder } from 'kysely';
import { isOpenRemoval } from './job.entity.ts';

/**
 * SQL: the `selection` of each open job that removes records of a kind in organizations (an array of surrogate keys), found
 * by an index. The deletion that created the job has returned to its caller, so a write treats the records that a
 * selection covers as deleted: it removes and inserts them again, and their new surrogate keys exceed the job's `upTo`.
 * Otherwise the job would delete what the write wrote.
 *
 * A deletion that returned before the write began has been committed, so every statement of the write sees its job.
 */
export const openRemovals = (
  of: 'activities' | 'crdt' | 'notifications' | 'recordings' | 'threads',
  organizations: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  select request -> 'records' -> 'selection' as selection from job
  where org_id = any(${organizations}) and ${sql.raw(isOpenRemoval)}
    and request -> 'records' ->> 'of' = ${sql.lit(of)}`;
