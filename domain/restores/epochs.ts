import { sql } from 'kysely';
import { z } from 'zod';
import { isForbidden } from '../../platform/database/failures.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowOf } from '../../platform/database/statements.ts';

/*
 * After a restore, the sequences of webhooks continue from an older number, so a receiver may get one number for two
 * events. The epoch, which every message contains, distinguishes them: 1 at first, then the Unix time of the restore.
 * Links in e-mails contain surrogate keys of users, organizations and documents. With each new epoch a trigger skips
 * those that the lost database may have assigned.
 */

const firstEpoch = '1';

/** SQL: the current epoch. */
export const currentEpoch = sql<string>`coalesce((select epoch from restore_state where id = 1), 1)`;

/** SQL: the server's timeline in 8 digits. It changes when a standby is promoted, and when an archive is recovered. */
const timeline = sql<string>`left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/** SQL: whether the server's timeline is not that of the current epoch. False where `noticeRestore` has stored none. */
export const isOtherTimeline = sql<boolean>`coalesce((
  select right(identity, 8) <> ${timeline} from restore_state where id = 1 and identity <> ''), false)`;

/** SQL: identifies the cluster, its timeline and the database. */
const presentIdentity = sql<string>`(select concat_ws('/', c.system_identifier, d.oid, ${timeline})
  from pg_control_system() c, pg_database d where d.datname = current_database())`;

const nextEpoch = sql`greatest(restore_state.epoch + 1, extract(epoch from now())::bigint)`;

const EpochRow = z.strictObject({ epoch: z.string() });

/**
 * Begins an epoch when the database differs from that of the current epoch. This follows a restore of a dump or a base
 * backup, or a promotion. Returns the new epoch, or undefined. Does not detect a restored copy of the files of a
 * stopped server, nor any restore where the role may not call `pg_control_system`.
 */
export async function noticeRestore(em: EntityManager): Promise<string | undefined> {
  try {
    const row = await changeIdentity(em);
    return row === undefined || row.epoch === firstEpoch ? undefined : row.epoch;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

const changeIdentity = async (em: EntityManager) =>
  rowOf(
    em,
    EpochRow,
    sql`insert into restore_state (id, identity, epoch) select 1, ${presentIdentity}, 1
      on conflict (id) do update set identity = excluded.identity, epoch = ${nextEpoch}, began_at = now()
      where restore_state.identity <> excluded.identity
      returning epoch`,
  );

/**
 * Begins an epoch when the server's timeline is not that of the current one, and returns it; undefined when another
 * process has begun it. Call it where `isOtherTimeline`: it waits for concurrent calls.
 */
export async function noticeTimeline(em: EntityManager): Promise<string | undefined> {
  const row = await rowOf(
    em,
    EpochRow,
    sql`update restore_state set identity = left(identity, -8) || ${timeline}, epoch = ${nextEpoch}, began_at = now()
      where id = 1 and identity <> '' and right(identity, 8) <> ${timeline}
      returning epoch`,
  );
  return row?.epoch;
}

/** Begins an epoch unconditionally, and returns it. */
export async function beginEpoch(em: EntityManager): Promise<string> {
  const { epoch } = await onlyRowOf(
    em,
    EpochRow,
    sql`insert into restore_state (id, identity, epoch) values (1, '', extract(epoch from now())::bigint)
      on conflict (id) do update set epoch = ${nextEpoch}, began_at = now()
      returning epoch`,
  );
  return epoch;
}
