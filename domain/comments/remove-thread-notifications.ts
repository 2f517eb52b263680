import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { lockUpTo, type LockedRows } from '../lock-up-to.ts';
import {
  deleteNextDependents,
  deleteWithinCall,
  removeNotifications,
  type Removable,
} from '../notifications/remove-notifications.ts';
import { removeDependents, type RemovedDependents } from './remove-threads.ts';

/** The subjects of notifications, by surrogate keys: whole threads, or comments with their threads. */
export interface NotificationSubjects {
  readonly threads: readonly string[];
  /** A comment of each of `threads`; null for whole threads. */
  readonly comments: readonly string[] | null;
}

/** Max notifications that one transaction deletes: in a call, and in each step of a job. */
const max = { call: 1_000, step: 500 } as const;

const NextRow = z.strictObject({ id: z.string(), audience: z.string(), recipient_count: z.number() });
const LockedRow = z.strictObject({ matched: z.number(), row: NextRow.nullable() });

/**
 * Locks the next notifications in the order of time, as other deletions do, which prevents deadlocks. The result is
 * empty only when none is left. A concurrent call may delete some of them before the lock, so their number does not
 * show whether more are left.
 */
const lockNext = async (
  em: EntityManager,
  tenantId: string,
  subjects: NotificationSubjects,
  limit: number,
): Promise<LockedRows<Removable>> => lockUpTo(limit, async (rows) => lockOnce(em, tenantId, subjects, rows));

async function lockOnce(
  em: EntityManager,
  tenantId: string,
  { threads, comments }: NotificationSubjects,
  limit: number,
): Promise<z.infer<typeof LockedRow>[]> {
  const keys =
    comments === null
      ? sql`unnest(${threads}::bigint[]) as k (thread)`
      : sql`unnest(${threads}::bigint[], ${comments}::bigint[]) as k (thread, comment)`;
  const ofComment = comments === null ? sql`` : sql`and comment_id = k.comment`;
  return rowsOf(
    em,
    LockedRow,
    sql`with next as materialized (
        select n.id from ${keys} cross join lateral (
          select id from notification
          where thread_id = k.thread ${ofComment} and api_key_id + 0 = ${tenantId} limit ${sql.lit(limit)}) n
        limit ${sql.lit(limit)}),
      locked as materialized (
        select id, audience, recipient_count from notification
        -- Read again after the lock: a concurrent notifications/add may have made it a notification of its own.
        where id = any(array(select id from next)) and thread_id + 0 is not null order by ts, id for update)
      select n.matched, case when l.id is not null then json_build_object('id', l.id::text, 'audience',
        l.audience::text, 'recipient_count', l.recipient_count) end as row
      from (select count(*)::int as matched from next) n left join locked l on true`,
  );
}

/** The rows that a call leaves to a job. */
export interface LeftNotifications {
  /** Audiences of deleted notifications with remaining recipients. */
  readonly audiences: readonly string[];
  /** Whether notifications may remain. */
  readonly more: boolean;
}

/** Deletes up to 1,000 notifications of locked threads or of their comments within a call. */
export async function removeThreadNotifications(
  em: EntityManager,
  tenantId: string,
  subjects: NotificationSubjects,
): Promise<LeftNotifications> {
  if (subjects.threads.length === 0) return { audiences: [], more: false };
  const { rows: next, more } = await lockNext(em, tenantId, subjects, max.call);
  const { kept, audiences } = await deleteWithinCall(em, tenantId, next);
  return { audiences, more: more || kept.length > 0 };
}

/**
 * Deletes the next notifications within a job, their recipients first: up to 5,000 recipients or 500 notifications.
 * Returns 0 rows only when none is left.
 */
export async function removeNextNotifications(
  em: EntityManager,
  tenantId: string,
  subjects: NotificationSubjects,
): Promise<RemovedDependents> {
  if (subjects.threads.length === 0) return { rows: 0, more: false };
  const { rows: next, more } = await lockNext(em, tenantId, subjects, max.step);
  const dependents = await deleteNextDependents(em, tenantId, next);
  if (dependents > 0) return { rows: dependents, more: true };
  await removeNotifications(
    em,
    tenantId,
    next.map(({ id }) => id),
  );
  return { rows: next.length, more };
}

/** `removeDependents` within a job, which also deletes the notifications of the threads. */
export async function removeDependentsAndNotifications(
  em: EntityManager,
  tenantId: string,
  threads: readonly string[],
  maxRows: number,
): Promise<RemovedDependents> {
  const notifications = await removeNextNotifications(em, tenantId, { threads, comments: null });
  const dependents = await removeDependents(em, threads, maxRows);
  return { rows: notifications.rows + dependents.rows, more: notifications.more || dependents.more };
}
