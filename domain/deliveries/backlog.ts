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

/** Counts the held channels of keys by channel and reason, up to 10,000. */
export async function readHeldChannels(em: EntityManager) {
  const found = await rowsOf(
    em,
    HeldRow,
    sql`select c.channel, r.reason, (select count(*)::int from (select from channel_state s
          where s.api_key_id > 0 and s.channel = c.channel and s.reason = r.reason limit ${sql.lit(maxCounted)}) held) as rows
      from unnest(${Object.values(channelNumbers)}::smallint[]) as c (channel)
      cross join unnest(${Object.values(heldReasons)}::smallint[]) as r (reason)`,
  );
  return found.map(({ channel, reason, rows }) => ({
    channel: nameOfNumber(channelNumbers, channel),
    reason: nameOfNumber(heldReasons, reason),
    rows,
  }));
}
