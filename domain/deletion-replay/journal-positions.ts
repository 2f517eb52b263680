import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { LogFile } from '../../platform/journal/record-log.ts';
import { tablesOf } from '../tables.ts';

/** How far the database knows a file: every deletion before `checkedBytes` has ended. */
export interface JournalPosition {
  readonly checkedBytes: number;
  readonly modifiedAt: Date;
}

/** Max files that are read: those of 100 worker starts a day for a year. */
const maxFiles = 40_000;

/** Reads the positions by the names of files. */
export async function readPositions(em: EntityManager): Promise<ReadonlyMap<string, JournalPosition>> {
  const rows = await tablesOf(em)
    .selectFrom('deletion_journal_file')
    .select(['name', 'checked_bytes', 'modified_at'])
    .orderBy('name', 'desc')
    .limit(sql.lit(maxFiles))
    .execute();
  return new Map(
    rows.map(({ name, checked_bytes, modified_at }) => [
      name,
      { checkedBytes: Number(checked_bytes), modifiedAt: modified_at },
    ]),
  );
}

/** Stores a position. Never moves it back: several processes check the same file. */
export async function writePosition(
  em: EntityManager,
  { name, modifiedAt }: LogFile,
  bytes: number,
): Promise<void> {
  await sql`insert into deletion_journal_file as f (name, checked_bytes, modified_at)
    values (${name}, ${bytes}, ${modifiedAt})
    on conflict (name) do update set checked_bytes = greatest(f.checked_bytes, excluded.checked_bytes),
      modified_at = greatest(f.modified_at, excluded.modified_at)`.execute(tablesOf(em));
}

/** Forgets files that are no longer in the journal. */
export async function forgetFiles(em: EntityManager, names: readonly string[]): Promise<void> {
  await tablesOf(em).deleteFrom('deletion_journal_file').where('name', '=', anyOf(names)).execute();
}

/** Names of files that the database knows and the journal lacks, or has shorter. Removed expired files are not among them. */
export function lackingFiles(
  positions: ReadonlyMap<string, JournalPosition>,
  files: readonly LogFile[],
  retentionMs: number,
): string[] {
  const bytes = new Map(files.map((file) => [file.name, file.bytes]));
  return [...positions]
    .filter(([name, { checkedBytes, modifiedAt }]) => {
      const expired = modifiedAt.getTime() < Date.now() - retentionMs;
      return !expired && (bytes.get(name) ?? 0) < checkedBytes;
    })
    .map(([name]) => name);
}
