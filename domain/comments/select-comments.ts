import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { failed, type Outcome, type Outcomes } from '../batch.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { CommentBody } from './comment.entity.ts';
import { commentTexts } from './comment-texts.ts';
import type { LockedThread } from './lock-threads.ts';

/** Conditions on comments of one annotation, combined with AND; undefined matches all. The customer's ids. */
export interface CommentSelection {
  /** Distinct. */
  readonly commentIds?: readonly number[] | undefined;
  /** Authors. */
  readonly userIds?: readonly string[] | undefined;
}

const SelectedRow = z.strictObject({
  id: z.string(),
  thread_id: z.string(),
  ext_id: z.string(),
  author_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  bytes: z.number(),
  body: z.custom<CommentBody>(),
});
/** A comment of a locked thread. `bytes`: of its body as stored. */
export type SelectedComment = z.infer<typeof SelectedRow>;

/** Reads the comments of a locked thread by createdAt, then order of writing. The lock protects them. */
export async function selectComments(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  thread: LockedThread,
  { commentIds = null, userIds = null }: Nullable<CommentSelection>,
): Promise<SelectedComment[]> {
  return rowsOf(
    em,
    SelectedRow,
    sql`select c.id, c.thread_id, c.ext_id, c.author_id, c.created_at, c.updated_at, octet_length(c.body::text) as bytes, c.body
      from comment c where c.thread_id = ${thread.id} and (${commentIds}::bigint[] is null or c.ext_id = any(${commentIds}))
        and (${userIds}::text[] is null or c.author_id = any(array(
          select u.id from app_user u where u.api_key_id = ${tenant.id} and u.ext_id = any(${userIds}::text[]))))
      order by c.created_at, c.id`,
  );
}

type Nullable<Type> = { readonly [Member in keyof Type]: Type[Member] | null };

/** The outcome of each requested comment; without requested ids, of each found one. */
export function commentOutcomes(
  { commentIds }: CommentSelection,
  selected: readonly SelectedComment[],
  ok: Outcome,
): Outcomes<{ readonly id: number }> {
  const found = new Set(selected.map(({ ext_id }) => Number(ext_id)));
  return new Map(
    [...(commentIds ?? found)].map((id) => [
      String(id),
      { ...(found.has(id) ? ok : failed('not-found', commentTexts.notSelected)), id },
    ]),
  );
}
