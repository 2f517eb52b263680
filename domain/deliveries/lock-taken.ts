import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { noticeStates } from '../notices/statuses.ts';
import type { Closing } from './windows.ts';
import type { Lane } from './write-deliveries.ts';

const LockedRow = z.strictObject({ id: z.string() });

/**
 * Locks notices of closing windows, in the order in which planning locks them, and returns the groups without those that
 * have left their windows meanwhile: an overwrite makes a notice wait again. `arriving`: notices that are already locked
 * and join a window now.
 */
export async function lockTaken(
  em: EntityManager,
  { tenantId }: Lane,
  taken: Closing['taken'],
  arriving: ReadonlySet<string>,
): Promise<Closing['taken']> {
  const ids = taken.flatMap(({ notices }) => notices.map(({ id }) => id)).filter((id) => !arriving.has(id));
  if (ids.length === 0) return taken;
  const locked = await rowsOf(
    em,
    LockedRow,
    sql`select id from notice where id = any(${ids}::bigint[]) and api_key_id = ${tenantId}
      and state = ${sql.lit(noticeStates.batching)} order by notification_id, user_id, channel for no key update`,
  );
  const held = new Set([...arriving, ...locked.map(({ id }) => id)]);
  return taken.map((one) => ({ ...one, notices: one.notices.filter(({ id }) => held.has(id)) }));
}
