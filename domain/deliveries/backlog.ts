import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { channelNumbers } from '../notices/channels.ts';
import { heldReasons } from '../notices/statuses.ts';
import { isSuspendedKey } from '../workspaces/key-activity.ts';
import { lanesOf, waitingTables, waitsForNextTry } from './find-waiting.ts';

/** Max index entries that a count reads, and max channels of keys whose oldest row is read. */
const maxCounted = 10_000;

/**
 * Notices and deliveries that wait, counted up to 10,000, and the time since the oldest was due, except on held channels.
 */
export interface NoticeBacklog {
  readonly waiting: number;
  readonly dueSeconds: number;
}

const BacklogRow = z.strictObject({ rows: z.number(), due_seconds: z.number() });

/** Reads the backlog in one statement per table. */
export async function readNoticeBacklog(em: EntityManager): Promise<NoticeBacklog> {
  let backlog: NoticeBacklog = { waiting: 0, dueSeconds: 0 };
  for (const { name, due, indexed } of waitingTables) {
    const table = sql.table(name);
    const found = await onlyRowOf(
      em,
      BacklogRow,
      sql`with recursive lanes as (${lanesOf({ name, indexed })})
        select (select count(*)::int from (select from ${table} where ${indexed} and api_key_id > 0 limit ${sql.lit(maxCounted)}) counted) as rows,
          greatest(0, coalesce(extract(epoch from now() - (
            select min(t.at) from (select * from lanes limit ${sql.lit(maxCounted)}) l
            cross join lateral (
              select ${due} as at from ${table} where ${indexed} and api_key_id = l.api_key_id and channel = l.channel
              order by ${due} limit 1) t
            where not ${waitsForNextTry} and not ${isSuspendedKey(sql`l.api_key_id`)})), 0))::float8 as due_seconds`,
    );
    backlog = {
      waiting: backlog.waiting + found.rows,
      dueSeconds: Math.max(backlog.dueSeconds, found.due_seconds),
    };
  }
  return backlog;
}

const HeldRow = z.strictObject({ channel: z.number(), reason: z.number(), rows: z.number() });

/** SQL: whether a notice, a window or a delivery waits on the channel `s` of a key. By one index probe each. */
const hasWaiting = sql.join(
  waitingTables.map(
    ({ name, indexed }) => sql`coalesce((select true from ${sql.table(name)} t
      where t.api_key_id = s.api_key_id and t.channel = s.channel and ${indexed} limit 1), false)`,
  ),
  sql` or `,
);

/**
 * Counts the held channels of keys on which something waits, by channel and reason, among the first 10,000 of each.
 * Excludes those of disabled keys, which send nothing.
 */
export async function readHeldChannels(em: EntityManager) {
  const found = await rowsOf(
    em,
    HeldRow,
    sql`select c.channel, r.reason, (select count(*)::int from (select h.api_key_id, h.channel from channel_state h
          where h.api_key_id > 0 and h.channel = c.channel and h.reason = r.reason limit ${sql.lit(maxCounted)}) s
          where not ${isSuspendedKey(sql`s.api_key_id`)} and (${hasWaiting})) as rows
      from unnest(${Object.values(channelNumbers)}::smallint[]) as c (channel)
      cross join unnest(${Object.values(heldReasons)}::smallint[]) as r (reason)`,
  );
  return found.map(({ channel, reason, rows }) => ({
    channel: nameOfNumber(channelNumbers, channel),
    reason: nameOfNumber(heldReasons, reason),
    rows,
  }));
}
