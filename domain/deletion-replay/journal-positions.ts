import { sql } from 'kysely';
import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { LogFile } from '../../platform/journal/record-log.ts';
import { databaseTime } from '../database-time.ts';
import { aborted } from '../errors.ts';
import { tablesOf } from '../tables.ts';

/** The position in a file before which every deletion has ended in this database. */
export interface JournalPosition {
  readonly checkedBytes: number;
  /** The position before which an operator accepted the loss of unreadable records; 0 when none was accepted. */
  readonly acceptedBytes: number;
  readonly modifiedAt: Date;
}

/** Max positions that are read: those of 100 worker starts a day for 400 days. */
const maxFiles = 40_000;

/** Reads the positions by the names of files. */
export async function readPositions(em: EntityManager): Promise<ReadonlyMap<string, JournalPosition>> {
  const rows = await tablesOf(em)
    .selectFrom('deletion_journal_file')
    .select(['name', 'checked_bytes', 'accepted_bytes', 'modified_at'])
    .orderBy('name', 'desc')
    .limit(sql.lit(maxFiles))
    .execute();
  return new Map(
    rows.map(({ name, checked_bytes, accepted_bytes, modified_at }) => [
      name,
      {
        checkedBytes: Number(checked_bytes),
        acceptedBytes: Number(accepted_bytes),
        modifiedAt: modified_at,
      },
    ]),
  );
}

/**
 * Stores a position after `from`, never an earlier one than is stored: several processes check the same file. Throws
 * ABORTED when `from` is not stored: another server, which a standby has replaced since, returned it.
 */
export async function advancePosition(
  em: EntityManager,
  { name, modifiedAt }: LogFile,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<void> {
  const stored = await tablesOf(em)
    .selectFrom('deletion_journal_file')
    .select('checked_bytes')
    .where('name', '=', name)
    .executeTakeFirst();
  if (Number(stored?.checked_bytes ?? 0) < from) throw aborted();
  await sql`insert into deletion_journal_file as f (name, checked_bytes, modified_at)
    values (${name}, ${bytes}, ${modifiedAt})
    on conflict (name) do update set checked_bytes = greatest(f.checked_bytes, excluded.checked_bytes),
      modified_at = greatest(f.modified_at, excluded.modified_at)`.execute(tablesOf(em));
}

/** Stores that unreadable records before `bytes` are skipped from now on. */
export async function acceptLosses(
  em: EntityManager,
  { name, modifiedAt }: LogFile,
  bytes: number,
): Promise<void> {
  await sql`insert into deletion_journal_file as f (name, checked_bytes, accepted_bytes, modified_at)
    values (${name}, 0, ${bytes}, ${modifiedAt})
    on conflict (name) do update set accepted_bytes = greatest(f.accepted_bytes, excluded.accepted_bytes),
      modified_at = greatest(f.modified_at, excluded.modified_at)`.execute(tablesOf(em));
}

/** Deletes the positions of files that were removed from the journal. */
export async function forgetFiles(em: EntityManager, names: readonly string[]): Promise<void> {
  await tablesOf(em).deleteFrom('deletion_journal_file').where('name', '=', anyOf(names)).execute();
}

/**
 * The time before which the journal's files are expired, in milliseconds since the epoch: by the slower of the clocks of
 * PostgreSQL and of this process, because a clock that is ahead must remove no file.
 */
export async function expiryOf(orm: Orm, retentionMs: number): Promise<number> {
  return Math.min(Date.now(), await databaseTime(orm)) - retentionMs;
}

/**
 * Returns the names of files that the database knows and the journal lacks, or has shorter. Ignores files that expired
 * before `expiry`.
 */
export function lackingFiles(
  positions: ReadonlyMap<string, JournalPosition>,
  files: readonly LogFile[],
  expiry: number,
): string[] {
  const bytes = new Map(files.map((file) => [file.name, file.bytes]));
  return [...positions]
    .filter(([name, { checkedBytes, acceptedBytes, modifiedAt }]) => {
      const expired = modifiedAt.getTime() < expiry;
      return !expired && (bytes.get(name) ?? 0) < Math.max(checkedBytes, acceptedBytes);
    })
    .map(([name]) => name);
}
