import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { dropAuthors, recomputeRoles } from '../../../comments/recompute-roles.ts';
import { threadRoles } from '../../../comments/thread-person.entity.ts';
import { anyOfPeople, BatchRow, runBatch } from '../person-index.ts';
import type { PersonalDataStore, PersonScope, StoreCursor } from '../personal-data-store.ts';
import { removeNextComments } from './remove-comments.ts';
import { threadPeople } from './thread-people.ts';

/** Limits of one batch. A thread holds up to 1,000 comments. */
const chunk = { threads: 1_000, comments: 40_000 } as const;

/** A batch is the last one when the people wrote fewer than one in this many of its threads' comments. */
const maxExaminedPerRemoved = 4;

const author = sql.lit(threadRoles.author);

/**
 * Comments that a person wrote, thread by thread, with their reactions and notifications. Removes all of a person's
 * comments in a thread together, which costs little more than the deletion itself. Ends where others wrote most comments
 * of the threads; `comments` removes the remaining ones.
 */
export const threadComments: PersonalDataStore = {
  name: 'threadComments',
  kinds: ['comments', 'commentAnnotations'],
  async remove(em, scope, after) {
    const { threads, examined, last } = await nextThreads(em, scope, after);
    if (threads.length === 0) return { counts: {}, last };
    const people = anyOfPeople(scope.users);
    const removed = await removeNextComments(em, scope, {
      threads,
      isIn: (some) => sql`c.thread_id = any(${some}::bigint[]) and c.author_id + 0 = ${people}`,
    });
    if (removed === undefined) return { counts: {}, last: after ?? [scope.users[0]?.id ?? '0'] };
    await recomputeRoles(em, removed.keptWithTags);
    await dropAuthors(em, removed.kept, scope.users);
    const { counts } = removed;
    return { counts, last: counts.comments * maxExaminedPerRemoved < examined ? null : last };
  },
  // `comments` counts and verifies.
  count: async () => Promise.resolve({ counts: {}, last: null }),
  remains: async () => Promise.resolve({ any: false, last: null }),
};

/** The index columns of a row, and the number of comments in its thread; null where the person is no author. */
const NextThread = z.tuple([z.string(), z.string(), z.string(), z.number().nullable()]);
const NextRow = BatchRow.extend({ rows: z.array(NextThread).nullable() });

interface NextThreads {
  /** Surrogate keys of the threads in which the people are authors. */
  readonly threads: readonly string[];
  /** Comments in these threads. */
  readonly examined: number;
  readonly last: StoreCursor | null;
}

async function nextThreads(
  em: EntityManager,
  scope: PersonScope,
  after: StoreCursor | null,
): Promise<NextThreads> {
  const batch = await runBatch(em, threadPeople, scope, after, {
    limit: chunk.threads,
    row: NextRow,
    also: sql`t.roles`,
    select: sql`(select json_agg(
        json_build_array(n.user_id::text, n.org_id::text, n.thread_id::text,
          case when n.roles & ${author} <> 0 then coalesce(
            (select t.comment_count from thread t where t.id = n.thread_id), 0) end)
        order by n.user_id, n.org_id, n.thread_id) from next n) as rows`,
  });
  const rows = batch.rows ?? [];
  const threads = new Set<string>();
  let examined = 0;
  for (const [user, organization, thread, comments] of rows) {
    if (comments !== null && !threads.has(thread)) {
      threads.add(thread);
      examined += comments;
    }
    if (examined >= chunk.comments)
      return { threads: [...threads], examined, last: [user, organization, thread] };
  }
  const ended = rows.length < chunk.threads;
  return { threads: [...threads], examined, last: ended ? null : batch.cursor };
}
