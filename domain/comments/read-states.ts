import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { peopleBytes } from './emission/read-emitted.ts';
import {
  suggestionStatusNumbers,
  threadKindNumbers,
  type ThreadBody,
  type ThreadKind,
} from './thread.entity.ts';
import { threadRoles } from './thread-person.entity.ts';
import type { ThreadState } from './updated-thread.ts';

const StateRow = z.strictObject({
  id: z.string(),
  kind: z.number(),
  suggestion: z.number().nullable(),
  creator_id: z.string().nullable(),
  resolver_id: z.string().nullable(),
  status_updater_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  comment_count: z.number(),
  reaction_count: z.number(),
  content_bytes: z.number(),
  bytes: z.number(),
  body: z.custom<ThreadBody>(),
});

/** A locked thread before an update. */
export interface StoredThread {
  /** Surrogate key. */
  readonly id: string;
  readonly kind: ThreadKind;
  readonly state: ThreadState;
  /** Milliseconds. */
  readonly updatedAt: number;
  readonly comments: number;
  readonly reactions: number;
  readonly contentBytes: number;
  /** Bytes of the stored body. */
  readonly bytes: number;
}

/** Reads locked threads by surrogate key. */
export async function readStates(em: EntityManager, threads: readonly string[]): Promise<StoredThread[]> {
  const rows = await rowsOf(
    em,
    StateRow,
    sql`select t.id, t.kind, t.suggestion, t.creator_id, t.resolver_id, (select p.user_id from thread_person p
          where p.thread_id = t.id and p.roles & ${sql.lit(threadRoles.statusUpdater)} <> 0 limit 1) as status_updater_id,
        t.created_at, t.updated_at, t.comment_count, t.reaction_count, t.content_bytes,
        octet_length(t.body::text) as bytes, t.body
      from thread t where t.id = any(${threads}::bigint[]) order by t.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    kind: nameOfNumber(threadKindNumbers, row.kind),
    state: {
      body: row.body,
      suggestion: row.suggestion === null ? null : nameOfNumber(suggestionStatusNumbers, row.suggestion),
      creator: row.creator_id,
      resolver: row.resolver_id,
      statusUpdater: row.status_updater_id,
      createdAt: Number(row.created_at),
    },
    updatedAt: Number(row.updated_at),
    comments: row.comment_count,
    reactions: row.reaction_count,
    contentBytes: row.content_bytes,
    bytes: row.bytes,
  }));
}

const SizeRow = z.strictObject({ id: z.string(), bytes: z.number() });

/** Reads the bytes of the bodies of locked threads, on request with those of the ids of the users that they involve. */
export async function readSizes(
  em: EntityManager,
  threads: readonly string[],
  withPeople: boolean,
): Promise<z.infer<typeof SizeRow>[]> {
  return rowsOf(
    em,
    SizeRow,
    sql`select t.id, octet_length(t.body::text) ${withPeople ? sql`+ ${peopleBytes}` : sql``} as bytes
      from thread t where t.id = any(${threads}::bigint[]) order by t.id`,
  );
}
