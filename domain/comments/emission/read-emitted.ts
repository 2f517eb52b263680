import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { noPeople } from '../annotation-view.ts';
import { readPeople, type ThreadPeople } from '../read-contents.ts';
import { ThreadRow } from '../read-threads.ts';

/** A thread as the events of its changes render it. */
export interface EmittedThread {
  readonly thread: ThreadRow;
  readonly people: ThreadPeople;
}

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
