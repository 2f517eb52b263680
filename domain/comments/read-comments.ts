import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsWithin, withinBytes } from '../../platform/database/within-bytes.ts';
import { notFound } from '../errors.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { CommentBody } from './comment.entity.ts';
import { commentTexts } from './comment-texts.ts';
import type { ThreadLocation } from './lock-threads.ts';
import type { CommentRow } from './read-contents.ts';

/** Finds a thread for a read of its comments. Throws NOT_FOUND. */
export async function findThread(
  em: EntityManager,
  { organization, document }: ThreadLocation,
  annotationId: string,
): Promise<string> {
  const found = await tablesOf(em)
    .selectFrom('thread')
    .select('id')
    .where('org_id', '=', organization)
    .where('ext_id', '=', annotationId)
    .where('document_id', '=', document)
    .executeTakeFirst();
  if (found === undefined) throw notFound(commentTexts.annotationMissing);
  return found.id;
}

/** Comments of one thread. */
export interface CommentQuery {
  /** Surrogate key. */
  readonly thread: string;
  /** The customer's ids of authors; undefined for all. */
  readonly userIds?: readonly string[] | undefined;
}

/** A position in the order of creation, then of writing. */
export interface CommentPosition {
  readonly createdAt: string;
  readonly id: string;
}

const FoundRow = z
  .strictObject({
    id: z.string().nullable(),
    thread_id: z.string(),
    ext_id: z.string(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    body: z.custom<CommentBody>(),
  })
  .extend(BoundedRow.shape);
type FoundRow = z.infer<typeof FoundRow>;

/** A page of comments. */
export interface CommentPage {
  /** Null for an unknown id. */
  readonly comments: readonly (CommentRow | null)[];
  readonly next: CommentPosition | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

/** Reads comments by createdAt, then order of writing. */
export async function readCommentPage(
  em: EntityManager,
  tenant: Tenant,
  query: CommentQuery,
  after: CommentPosition | undefined,
  limit: PageLimit,
): Promise<CommentPage> {
  const { createdAt, id } = after ?? { createdAt: '-1', id: '0' };
  const found = await pageOf(
    em,
    sql`select row_number() over (order by c.created_at, c.id) as position, c.thread_id, c.ext_id, ${columns}
      from comment c where c.thread_id = ${query.thread} and ${byAuthors(tenant, query)}
        and (c.created_at, c.id) > (${createdAt}::bigint, ${id}::bigint)
      order by c.created_at, c.id limit ${limit.rows + 1}`,
    limit,
  );
  const { fitting, cut } = withinLimit(found);
  const comments = fitting.slice(0, limit.rows).map(commentOf);
  const last = comments.at(-1);
  const more = cut || fitting.length > limit.rows;
  const next = last ? { createdAt: last.created_at, id: last.id } : after;
  return { comments, next: more ? next : undefined, cut };
}

/** Reads the leading comments of a list of ids, in this order; null for an unknown one. */
export async function readCommentsById(
  em: EntityManager,
  tenant: Tenant,
  query: CommentQuery,
  commentIds: readonly number[],
  limit: PageLimit,
): Promise<Pick<CommentPage, 'comments' | 'cut'>> {
  const found = await pageOf(
    em,
    sql`select s.position, ${query.thread}::bigint as thread_id, s.ext_id, c.id, c.created_at, c.updated_at, c.body, coalesce(c.beside, 0) as beside
      from unnest(${commentIds}::bigint[]) with ordinality as s (ext_id, position) left join lateral (
        select ${columns} from comment c
        where c.thread_id = ${query.thread} and c.ext_id = s.ext_id and ${byAuthors(tenant, query)} offset 0) c on true
      order by s.position limit ${limit.rows}`,
    limit,
  );
  const { fitting, cut } = withinLimit(found);
  return { comments: fitting.map(commentOf), cut };
}

/** SQL: columns of a comment `c`. `beside`: bytes that a response adds to its body, an integer like every estimate. */
const columns = sql`c.id, c.created_at, c.updated_at, c.body,
  1024 + (select coalesce(sum(512 + octet_length(r.body::text) + octet_length(r.icon)), 0) from reaction r where r.comment_id = c.id)::integer as beside`;

/** SQL: whether a comment `c` is of one of the authors. An unknown author has no comments. */
const byAuthors = ({ id }: Tenant, { userIds }: CommentQuery): RawBuilder<unknown> =>
  userIds === undefined
    ? sql`true`
    : sql`c.author_id = any(array(
        select u.id from app_user u where u.api_key_id = ${id} and u.ext_id = any(${userIds}::text[])))`;

async function pageOf(em: EntityManager, page: RawBuilder<unknown>, limit: PageLimit): Promise<FoundRow[]> {
  return rowsWithin(
    em,
    FoundRow,
    (sizing) => sql`
    with page as (${page}),
    ${withinBytes(sizing, { from: 'page', order: sql`s.position`, content: 'body', type: 'json', beside: sql`beside`, limit })}
    select id, thread_id, ext_id, created_at, updated_at, case when fits then body end as body, fits, candidates
    from within order by nth`,
  );
}

const commentOf = ({ id, thread_id, ext_id, created_at, updated_at, body }: FoundRow): CommentRow | null =>
  id === null || created_at === null || updated_at === null
    ? null
    : { id, thread_id, ext_id, created_at, updated_at, body };
