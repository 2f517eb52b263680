import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { rowsWithin, withinBytes } from '../../../platform/database/within-bytes.ts';
import type { CommentBody } from '../../comments/comment.entity.ts';
import type { ReactionBody } from '../../comments/reaction.entity.ts';
import { ThreadRow } from '../../comments/thread-page.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { BoundedRow, withinLimit } from '../../page-limit.ts';
import { sectionPage, type Section } from './section.ts';

/** SQL: the visible document of a thread `t`, as `d`. */
const document = sql`cross join lateral (
  select d.ext_id, d.folder_id from document d where d.id = t.document_id and d.deleted_at is null and ${isVisible} offset 0) d`;

const CommentRow = z
  .strictObject({
    id: z.string(),
    thread_id: z.string(),
    ext_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    body: z.custom<CommentBody>(),
    annotation_ext_id: z.string(),
    document_ext_id: z.string(),
  })
  .extend(BoundedRow.shape);

export type ExportedComment = z.infer<typeof CommentRow>;

/** Comments that the person wrote, in the order of writing. */
export const comments: Section<ExportedComment> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await rowsWithin(
    em,
    CommentRow,
    (sizing) => sql`
      with page as (
        select c.id, c.thread_id, c.ext_id, c.created_at, c.updated_at, c.body, t.ext_id as annotation_ext_id,
          d.ext_id as document_ext_id
        from comment c cross join lateral (select * from thread where id = c.thread_id offset 0) t ${document}
        where c.author_id = ${user} and c.org_id = ${organization} and c.id > ${after?.[0] ?? '0'}::bigint
          and c.api_key_id + 0 = ${tenant.id}
        order by c.id limit ${limit.rows + 1}),
      ${withinBytes(sizing, {
        from: 'page',
        order: sql`s.id`,
        content: 'body',
        type: 'json',
        beside: sql`512 + 2 * (octet_length(annotation_ext_id) + octet_length(document_ext_id))`,
        limit,
      })}
      select id, thread_id, ext_id, created_at, updated_at, case when fits then body end as body, annotation_ext_id,
        document_ext_id, fits, candidates
      from within order by nth`,
  );
  const { fitting, cut } = withinLimit(found);
  const page = sectionPage(fitting, limit, ({ id }) => [id]);
  return cut ? { ...page, next: page.rows.length === 0 ? after : [fitting.at(-1)?.id ?? '0'], cut } : page;
};

const CreatedRow = ThreadRow.extend(BoundedRow.shape);

/** Annotations that the person created, by lastUpdated, without their comments. */
export const commentAnnotations: Section<ThreadRow> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const [updatedAt = '-1', id = '0'] = after ?? [];
  const found = await rowsWithin(
    em,
    CreatedRow,
    (sizing) => sql`
      with page as (
        select t.id, t.ext_id, t.document_id, t.location_id, t.creator_id, t.kind, t.suggestion, t.created_at, t.updated_at,
          t.comment_count, t.reaction_count, t.body, d.ext_id as document_ext_id,
          (select f.ext_id from folder f where f.id = d.folder_id) as folder_ext_id
        from thread t ${document}
        where t.creator_id = ${user} and t.org_id = ${organization} and (t.updated_at, t.id) > (${updatedAt}::bigint, ${id}::bigint)
          and t.api_key_id + 0 = ${tenant.id}
        order by t.updated_at, t.id limit ${limit.rows + 1}),
      ${withinBytes(sizing, {
        from: 'page',
        order: sql`s.updated_at, s.id`,
        content: 'body',
        type: 'json',
        beside: sql`512 + 2 * (octet_length(ext_id) + octet_length(document_ext_id))`,
        limit,
      })}
      select id, ext_id, document_id, location_id, creator_id, kind, suggestion, created_at, updated_at, comment_count,
        reaction_count, case when fits then body end as body, document_ext_id, folder_ext_id, fits, candidates
      from within order by nth`,
  );
  const { fitting, cut } = withinLimit(found);
  const positionOf = (row: ThreadRow) => [row.updated_at, row.id];
  const page = sectionPage(fitting, limit, positionOf);
  const last = fitting.at(-1);
  return cut ? { ...page, next: last === undefined ? after : positionOf(last), cut } : page;
};

const WrittenReaction = z.strictObject({
  comment_id: z.string(),
  icon: z.string(),
  at: z.string(),
  body: z.custom<ReactionBody>(),
  comment_ext_id: z.string(),
  annotation_ext_id: z.string(),
  document_ext_id: z.string(),
});
export type ExportedReaction = z.infer<typeof WrittenReaction>;

/** Null columns: the comment, its thread or document is deleted. */
const ReactionRow = WrittenReaction.extend({
  comment_ext_id: z.string().nullable(),
  annotation_ext_id: z.string().nullable(),
  document_ext_id: z.string().nullable(),
}).extend(BoundedRow.shape);
type ReactionRow = z.infer<typeof ReactionRow>;

const isVisibleReaction = (row: ReactionRow): row is ReactionRow & ExportedReaction =>
  row.document_ext_id !== null;

/** Reactions of the person, by comment. A page with reactions in deleted documents is short. */
export const reactions: Section<ExportedReaction> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const [comment = '0', icon = ''] = after ?? [];
  // The user of a reaction may exceed the estimate of a compressed row.
  const found = await rowsOf(
    em,
    ReactionRow,
    sql`
      with page as (
        select r.comment_id, r.icon, r.at, case when c.document_ext_id is not null then r.body end as body,
          c.comment_ext_id, c.annotation_ext_id, c.document_ext_id
        from (
          select * from reaction
          where user_id = ${user} and org_id = ${organization} and comment_id >= ${comment}::bigint
            and (comment_id, icon) > (${comment}::bigint, ${icon}) and api_key_id + 0 = ${tenant.id}
          order by comment_id, icon limit ${limit.rows + 1}) r
        left join lateral (
          select c.ext_id as comment_ext_id, t.ext_id as annotation_ext_id, d.ext_id as document_ext_id
          from comment c cross join lateral (select * from thread where id = c.thread_id offset 0) t ${document}
          where c.id = r.comment_id offset 0) c on true),
      ${withinBytes('measured', {
        from: 'page',
        order: sql`s.comment_id, s.icon`,
        content: 'body',
        type: 'json',
        beside: sql`512 + octet_length(icon) + coalesce(2 * (octet_length(annotation_ext_id) + octet_length(document_ext_id)), 0)`,
        limit,
      })}
      select comment_id, icon, at, case when fits then body end as body, comment_ext_id, annotation_ext_id, document_ext_id,
        fits, candidates
      from within order by nth`,
  );
  const { fitting, cut } = withinLimit(found);
  const positionOf = (row: ReactionRow) => [row.comment_id, row.icon];
  const page = sectionPage(fitting, limit, positionOf);
  const rows = page.rows.filter(isVisibleReaction);
  const last = fitting.at(-1);
  return cut ? { rows, next: last === undefined ? after : positionOf(last), cut } : { ...page, rows };
};
