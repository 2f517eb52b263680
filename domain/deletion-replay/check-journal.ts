import { sql } from 'kysely';
import { z } from 'zod';
import { mebibyte } from '../../platform/units.ts';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { retryConflicts } from '../../platform/database/retry-conflicts.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { LogFile } from '../../platform/journal/record-log.ts';
import { databaseIncarnation } from '../deletion/journal/database-incarnation.ts';
import type { DeletionEntry } from '../deletion/journal/deletion-entry.ts';
import type { DeletionJournal, JournalRecord } from '../deletion/journal/deletion-journal.ts';
import { acceptLosses, advancePosition, readPositions } from './journal-positions.ts';
import { markReplayed } from './mark-replayed.ts';

/**
 * The state in the database of a deletion of the journal. `ended`: it ended, or its API key is deleted. `completing`: it
 * has not ended, and this database appended it, as before a crash. `running`: it runs again. `missing`: the database is
 * older.
 */
export type EntryState = 'ended' | 'completing' | 'running' | 'missing';

/** An entry of the journal with its state in the database. */
export interface CheckedEntry {
  readonly entry: DeletionEntry;
  readonly state: EntryState;
}

/** Consecutive records of a file. */
export interface CheckedBatch {
  readonly entries: readonly CheckedEntry[];
  /** Number of records that cannot be read and whose loss was not accepted before. */
  readonly unreadable: number;
  /** Whether the batch ends with an incomplete append. */
  readonly torn: boolean;
}

/** Options of a check. */
export interface CheckOptions {
  /** Skips unreadable records from now on. */
  readonly acceptLoss?: boolean;
}

/** How a file is checked. */
interface FileCheck {
  /** The position of the first record. */
  readonly from: number;
  /** As in `JournalPosition`. */
  readonly acceptedBytes: number;
  /** See `databaseIncarnation`. */
  readonly database: string | undefined;
  readonly acceptLoss: boolean;
}

/** Limits of a batch, which ends at the first that it reaches. */
const batchLimits = { records: 500, bytes: 4 * mebibyte } as const;

/**
 * Reads the records after the stored positions, and advances the position of each file past deletions that have ended.
 * Marks the jobs of those that run again. Memory does not depend on the length of the journal. Throws JournalUnavailable,
 * or ABORTED when a standby that lacks a position has replaced the server since.
 */
export async function* checkJournal(
  orm: Orm,
  journal: DeletionJournal,
  { acceptLoss = false }: CheckOptions = {},
): AsyncGenerator<CheckedBatch, void> {
  const em = orm.em.fork();
  const positions = await readPositions(em);
  const database = await databaseIncarnation(em);
  for (const file of await journal.files()) {
    const { checkedBytes: from = 0, acceptedBytes = 0 } = positions.get(file.name) ?? {};
    if (from < file.bytes)
      yield* checkFile(orm, journal, file, { from, acceptedBytes, database, acceptLoss });
  }
}

async function* checkFile(
  orm: Orm,
  journal: DeletionJournal,
  file: LogFile,
  { from, acceptedBytes, database, acceptLoss }: FileCheck,
): AsyncGenerator<CheckedBatch, void> {
  let position = from;
  let allEnded = true;
  for await (const records of batchesOf(journal.read(file.name, from), from)) {
    const found = records.flatMap((record) => (record.state === 'entry' ? [record] : []));
    const lost = records.filter(({ state, end }) => state === 'unreadable' && end > acceptedBytes);
    const isLost = new Set<JournalRecord>(acceptLoss ? [] : lost);
    // In one transaction, because a standby may replace the server that returned the states.
    const checked = await retryConflicts(async () =>
      inTransaction(orm, async (em) => {
        const states = await markedStates(em, found, database);
        // Stored by itself: the position does not pass records behind a deletion that has not ended.
        const lastLost = acceptLoss ? lost.at(-1) : undefined;
        if (lastLost !== undefined) await acceptLosses(em, file, lastLost.end);
        const ended = allEnded ? leadingEnded(records, states, isLost) : [];
        const bytes = ended.at(-1)?.end;
        if (bytes !== undefined) await advancePosition(em, file, { from: position, bytes });
        return { states, ended };
      }),
    );
    allEnded &&= checked.ended.length === records.length;
    position = checked.ended.at(-1)?.end ?? position;
    yield {
      entries: found.map((record) => ({
        entry: record.entry,
        state: checked.states.get(record) ?? 'missing',
      })),
      unreadable: lost.length,
      torn: records.some(({ state }) => state === 'torn'),
    };
  }
}

type EntryRecord = Extract<JournalRecord, { state: 'entry' }>;
type States = ReadonlyMap<JournalRecord, EntryState>;

/** Reads the states of entries, and marks the jobs of those that run again. */
async function markedStates(
  em: EntityManager,
  found: readonly EntryRecord[],
  database: string | undefined,
): Promise<States> {
  const states = await statesOf(
    em,
    found.map(({ entry }) => entry),
    database,
  );
  await markReplayed(
    em,
    found.flatMap(({ entry }, index) => (states[index] === 'running' ? [entry.jobId] : [])),
  );
  return new Map(found.map((record, index) => [record, states[index] ?? 'missing']));
}

/** The records before the first whose deletion has not ended, or that is unreadable. */
function leadingEnded(
  records: readonly JournalRecord[],
  states: States,
  isLost: ReadonlySet<JournalRecord>,
): readonly JournalRecord[] {
  const isPassed = (record: JournalRecord): boolean =>
    record.state === 'entry'
      ? states.get(record) === 'ended'
      : record.state === 'unreadable' && !isLost.has(record);
  const end = records.findIndex((record) => !isPassed(record));
  return end === -1 ? records : records.slice(0, end);
}

async function* batchesOf(
  records: AsyncIterable<JournalRecord>,
  from: number,
): AsyncGenerator<readonly JournalRecord[], void> {
  let batch: JournalRecord[] = [];
  let start = from;
  for await (const record of records) {
    batch.push(record);
    if (batch.length < batchLimits.records && record.end - start < batchLimits.bytes) continue;
    yield batch;
    [batch, start] = [[], record.end];
  }
  if (batch.length > 0) yield batch;
}

const StateRow = z.strictObject({
  gone: z.boolean(),
  present: z.boolean(),
  ended: z.boolean(),
  appended: z.boolean(),
});

/** Reads the states of entries, in their order. `database`: see `databaseIncarnation`; undefined when it is unknown. */
export async function statesOf(
  em: EntityManager,
  entries: readonly DeletionEntry[],
  database: string | undefined,
): Promise<EntryState[]> {
  if (entries.length === 0) return [];
  const rows = await rowsOf(
    em,
    StateRow,
    sql`select k.id is null or k.deleted_at is not null as gone, d.job_id is not null as present,
        d.ended_at is not null as ended,
        d.verified_at is not null or d.journaled_at is not null as appended
      from unnest(${entries.map(({ keyId }) => keyId)}::text[], ${entries.map(({ jobId }) => jobId)}::text[])
        with ordinality as e (key_id, job_id, number)
      left join lateral (select id, deleted_at from api_key where public_id = e.key_id limit 1) k on true
      left join lateral (select job_id, ended_at, verified_at, journaled_at from user_data_deletion
        where api_key_id = k.id and public_id = e.job_id limit 1) d on true
      order by e.number`,
  );
  return rows.map(({ gone, present, ended, appended }, index) => {
    if (gone || ended) return 'ended';
    if (!present) return 'missing';
    const same = database !== undefined && entries[index]?.database === database;
    return appended && same ? 'completing' : 'running';
  });
}
