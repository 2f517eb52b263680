import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import { deleteNext } from '../delete-next.ts';
import { tablesOf } from '../tables.ts';
import { audienceKinds } from './thread-audience.entity.ts';

/** SQL: common table expressions of the next rows of a table of dependents, `next`, and of their deletion. */
type Dependents = (threads: readonly string[], maxRows: RawBuilder<unknown>) => RawBuilder<unknown>;

const reactions: Dependents = (threads, maxRows) => sql`
  with next as materialized (
    select r.comment_id, r.icon, r.user_id from unnest(${threads}::bigint[]) as t (id)
    cross join lateral (select c.id from comment c where c.thread_id = t.id offset 0) c
    cross join lateral (
      select r.comment_id, r.icon, r.user_id from reaction r where r.comment_id = c.id limit ${maxRows}) r
    limit ${maxRows}),
  gone as (delete from reaction r using next n
    where r.comment_id = n.comment_id and r.icon = n.icon and r.user_id = n.user_id
    and r.comment_id = any(array(select comment_id from next)))`;

const comments: Dependents = (threads, maxRows) => sql`
  with next as materialized (
    select c.id from unnest(${threads}::bigint[]) as t (id)
    cross join lateral (select c.id from comment c where c.thread_id = t.id limit ${maxRows}) c limit ${maxRows}),
  gone as (delete from comment where id = any(array(select id from next)))`;

const people: Dependents = (threads, maxRows) => sql`
  with next as materialized (
    select p.thread_id, p.user_id from unnest(${threads}::bigint[]) as t (id)
    cross join lateral (select p.thread_id, p.user_id from thread_person p where p.thread_id = t.id limit ${maxRows}) p
    limit ${maxRows}),
  gone as (delete from thread_person p using next n where p.thread_id = n.thread_id and p.user_id = n.user_id
    and p.thread_id = any(array(select thread_id from next)))`;

const audience: Dependents = (threads, maxRows) => sql`
  with next as materialized (
    select a.thread_id, a.kind, a.ref_id from unnest(${threads}::bigint[]) as t (id)
    cross join lateral (
      select a.thread_id, a.kind, a.ref_id from thread_audience a where a.thread_id = t.id limit ${maxRows}) a
    limit ${maxRows}),
  gone as (delete from thread_audience a using next n
  where a.thread_id = n.thread_id and a.kind = n.kind and a.ref_id = n.ref_id
    and a.thread_id = any(array(select thread_id from next)))`;

/** Names the condition of the index on threads, which excludes marks on whole documents. */
const views: Dependents = (threads, maxRows) => sql`
  with next as materialized (
    select v.user_id, v.document_id, v.thread_id from unnest(${threads}::bigint[]) as t (id)
    cross join lateral (
      select v.user_id, v.document_id, v.thread_id from thread_view v
      where v.thread_id = t.id and v.thread_id > 0 limit ${maxRows}) v
    limit ${maxRows}),
  gone as (delete from thread_view v using next n
  where v.user_id = n.user_id and v.document_id = n.document_id and v.thread_id = n.thread_id
    and v.thread_id = any(array(select thread_id from next)) and v.thread_id > 0)`;

/** The number of removed rows, with those that a concurrent call deletes meanwhile, and whether rows may remain. */
export interface RemovedDependents {
  readonly rows: number;
  readonly more: boolean;
}

/**
 * Deletes comments, reactions, people, audience and read marks of locked or deleted threads, up to `maxRows` rows of
 * each. Deletes reactions before their comments, by which they are found.
 */
export async function removeDependents(
  em: EntityManager,
  threads: readonly string[],
  maxRows: number,
): Promise<RemovedDependents> {
  let rows = 0;
  let more = false;
  if (threads.length === 0) return { rows, more };
  for (const dependents of [reactions, comments, people, audience, views]) {
    const removed = await deleteNext(em, dependents(threads, sql.lit(maxRows)));
    rows += removed;
    more ||= removed === maxRows;
    if (dependents === reactions && more) return { rows, more };
  }
  return { rows, more };
}

/** Deletes up to `maxRows` read marks of locked threads. Returns their number. */
export async function removeReadMarks(
  em: EntityManager,
  threads: readonly string[],
  maxRows: number,
): Promise<number> {
  return threads.length === 0 ? 0 : deleteNext(em, views(threads, sql.lit(maxRows)));
}

/** Deletes locked threads, by surrogate key, but none of their dependents. */
export async function deleteThreads(em: EntityManager, threads: readonly string[]): Promise<void> {
  if (threads.length === 0) return;
  await sql`delete from thread where id = any(${threads}::bigint[])`.execute(tablesOf(em));
}

/** Deletes up to `maxRows` entries of organizations in the audience of threads. Returns their number. */
export async function removeFromAudience(
  em: EntityManager,
  tenantId: string,
  organizations: readonly string[],
  maxRows: number,
): Promise<number> {
  return changedBy(
    em,
    sql`with next as materialized (
        select thread_id, ref_id from thread_audience
        where ref_id = any(${organizations}::bigint[]) and kind = ${sql.lit(audienceKinds.organization)}
          and api_key_id = ${tenantId} limit ${sql.lit(maxRows)})
      delete from thread_audience a using next n
      where a.thread_id = n.thread_id and a.kind = ${sql.lit(audienceKinds.organization)} and a.ref_id = n.ref_id`,
  );
}
