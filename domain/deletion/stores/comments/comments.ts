import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { recomputeRoles } from '../../../comments/recompute-roles.ts';
import { BatchRow, hasRows, runBatch, stepOf, type PersonIndex } from '../person-index.ts';
import type { PersonalDataStore, PersonScope, StoreCursor } from '../personal-data-store.ts';
import { removeNextComments } from './remove-comments.ts';

/**
 * Rows per batch. A removed batch locks up to 1,000 threads; when `remove` comments are in more threads, only `spread`
 * comments are removed. Reactions are removed with their comment.
 */
const chunk = { count: 100_000, remove: 20_000, spread: 1_000 } as const;
const maxThreads = 1_000;

const index: PersonIndex = {
  table: 'comment',
  columns: ['author_id', 'org_id', 'id'],
  organization: { column: 'org_id' },
};

const NextRow = BatchRow.extend({ ids: z.string().nullable(), threads: z.array(z.string()) });

/**
 * Comments of a person that `threadComments` did not remove, by comment_author, with their reactions and notifications.
 * A thread is deleted with its last comment, which is decided under its lock.
 */
export const comments: PersonalDataStore = {
  name: 'comments',
  kinds: ['comments', 'commentAnnotations'],
  async remove(em, scope, after) {
    let limit: number = chunk.remove;
    let batch = await nextBatch(em, scope, after, limit);
    if (batch.threads.length > maxThreads) {
      limit = chunk.spread;
      batch = await nextBatch(em, scope, after, limit);
    }
    if (batch.ids === null) return { counts: {}, last: null };
    const { ids } = batch;
    const removed = await removeNextComments(em, scope, {
      threads: batch.threads,
      isIn: (threads) => sql`c.id = any(${ids}::bigint[]) and c.thread_id + 0 = any(${threads}::bigint[])`,
    });
    if (removed === undefined) return { counts: {}, last: after ?? [scope.users[0]?.id ?? '0'] };
    await recomputeRoles(em, removed.kept);
    return stepOf(batch, limit, removed.counts);
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
    return stepOf(batch, chunk.count, { comments: batch.found });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};

const nextBatch = async (em: EntityManager, scope: PersonScope, after: StoreCursor | null, limit: number) =>
  runBatch(em, index, scope, after, {
    limit,
    row: NextRow,
    also: sql`t.thread_id`,
    select: sql`(select array_agg(n.id)::text from next n) as ids,
      array(select n.thread_id::text from next n group by n.thread_id) as threads`,
  });
