import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../../platform/database/statements.ts';
import { recomputeRoles } from '../../../comments/recompute-roles.ts';
import {
  removeDependentsAndNotifications,
  removeNextNotifications,
} from '../../../comments/remove-thread-notifications.ts';
import { anyOfPeople, BatchRow, hasRows, runBatch, stepOf, type PersonIndex } from '../person-index.ts';
import type { PersonalDataStore, PersonScope } from '../personal-data-store.ts';
import { lockThreadsByKey, recountThreads } from './thread-counters.ts';

/** Rows per batch; reactions are removed with their comment, up to this many at once. */
const chunk = { count: 100_000, remove: 1_000, reactions: 10_000 } as const;

const index: PersonIndex = {
  table: 'comment',
  columns: ['author_id', 'org_id', 'id'],
  organization: { column: 'org_id' },
};

const NextRow = BatchRow.extend({
  ids: z.array(z.string()).nullable(),
  threads: z.array(z.string()).nullable(),
});

/**
 * Comments that a person wrote, by comment_author, with their reactions and notifications. A thread without a comment of anyone else
 * goes; the locks of threads decide.
 */
export const comments: PersonalDataStore = {
  name: 'comments',
  kinds: ['comments', 'commentAnnotations'],
  async remove(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, {
      limit: chunk.remove,
      row: NextRow,
      also: sql`t.thread_id`,
      select: sql`(select array_agg(n.id::text) from next n) as ids,
        (select array_agg(n.thread_id::text) from next n) as threads`,
    });
    if (batch === undefined || batch.ids === null) return { counts: {}, last: null };
    const subjects = { threads: batch.threads ?? [], comments: batch.ids };
    const threads = await lockThreadsByKey(em, scope, [...new Set(subjects.threads)]);
    const reactionsLeft = await removeReactionsTo(em, batch.ids);
    const left = (await removeNextNotifications(em, scope.tenantId, subjects)).more || reactionsLeft;
    const removed = left ? 0 : await removeComments(em, scope, batch.ids);
    await recountThreads(em, scope, threads);
    // Removed rows are not found again: the batch with more reactions or notifications starts again.
    if (left) return { counts: {}, last: after ?? [scope.users[0]?.id ?? '0'] };
    await recomputeRoles(em, threads);
    const created = await removeEmpty(em, scope, threads);
    return stepOf(batch, chunk.remove, { comments: removed, commentAnnotations: created });
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
    return stepOf(batch, chunk.count, { comments: batch?.found ?? 0 });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};

/** Returns whether reactions may be left. */
async function removeReactionsTo(em: EntityManager, ids: readonly string[]): Promise<boolean> {
  const removed = await changedBy(
    em,
    sql`with next as materialized (
        select r.comment_id, r.icon, r.user_id from unnest(${ids}::bigint[]) as c (id)
        cross join lateral (select * from reaction where comment_id = c.id limit ${sql.lit(chunk.reactions)}) r
        limit ${sql.lit(chunk.reactions)})
      delete from reaction r using next n
      where r.comment_id = n.comment_id and r.icon = n.icon and r.user_id = n.user_id`,
  );
  return removed === chunk.reactions;
}

const removeComments = async (
  em: EntityManager,
  { users }: PersonScope,
  ids: readonly string[],
): Promise<number> =>
  changedBy(
    em,
    sql`delete from comment where id = any(${ids}::bigint[]) and author_id = ${anyOfPeople(users)}`,
  );

const EmptyRow = z.strictObject({ id: z.string(), created: z.boolean() });

/** Removes locked threads without comments. Returns how many of them these people created. */
async function removeEmpty(
  em: EntityManager,
  { users, tenantId }: PersonScope,
  threads: readonly string[],
): Promise<number> {
  const empty = await rowsOf(
    em,
    EmptyRow,
    sql`delete from thread where id = any(${threads}::bigint[]) and comment_count = 0
      returning id, coalesce(creator_id = ${anyOfPeople(users)}, false) as created`,
  );
  const ids = empty.map(({ id }) => id);
  while ((await removeDependentsAndNotifications(em, tenantId, ids, chunk.reactions)).more);
  return empty.filter(({ created }) => created).length;
}
