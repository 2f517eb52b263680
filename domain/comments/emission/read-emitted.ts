import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { byteChunks } from '../../byte-chunks.ts';
import { noPeople } from '../annotation-view.ts';
import { readPeople, shownRoles, type ThreadPeople } from '../read-contents.ts';
import { ThreadRow } from '../thread-page.ts';

/** A thread as the events of its changes render it. */
export interface EmittedThread {
  readonly thread: ThreadRow;
  readonly people: ThreadPeople;
}

const SizeRow = z.strictObject({ id: z.string(), bytes: z.number() });

/** So many threads are one chunk without a statement that reads their sizes. */
const maxUnsized = 8;

/**
 * Splits locked threads, by surrogate key, into chunks of at most 2 MiB with the ids of the users that they involve.
 * `addedBytes`: bytes that each event adds to its thread.
 */
export async function chunksToEmit(
  em: EntityManager,
  threads: readonly string[],
  addedBytes: number,
): Promise<string[][]> {
  if (threads.length <= maxUnsized) return [[...threads]];
  const sizes = await rowsOf(
    em,
    SizeRow,
    sql`select t.id, octet_length(t.body::text) + ${peopleBytes} as bytes
      from thread t where t.id = any(${threads}::bigint[]) order by t.id`,
  );
  return byteChunks(sizes, ({ bytes }) => bytes + addedBytes).map((chunk) => chunk.map(({ id }) => id));
}

/** SQL: the bytes of the ids of the users in the roles of a thread `t`. */
export const peopleBytes = sql`(
  select coalesce(sum(16 + 2 * octet_length(u.ext_id)), 0)::int from thread_person p
  cross join lateral (select ext_id from app_user where id = p.user_id offset 0) u
  where p.thread_id = t.id and p.roles & ${sql.lit(shownRoles)} <> 0)`;

/** Reads locked threads as the transaction has written them, by surrogate key, in two statements. */
export async function readEmitted(
  em: EntityManager,
  threads: readonly string[],
): Promise<ReadonlyMap<string, EmittedThread>> {
  if (threads.length === 0) return new Map();
  const rows = await rowsOf(
    em,
    ThreadRow,
    sql`select t.id, t.ext_id, t.document_id, t.location_id, t.creator_id, t.kind, t.suggestion, t.created_at, t.updated_at,
        t.comment_count, t.reaction_count, t.body, d.ext_id as document_ext_id,
        (select f.ext_id from folder f where f.id = d.folder_id) as folder_ext_id
      from thread t join document d on d.id = t.document_id where t.id = any(${threads}::bigint[])`,
  );
  const people = await readPeople(em, threads);
  return new Map(rows.map((thread) => [thread.id, { thread, people: people.get(thread.id) ?? noPeople }]));
}
