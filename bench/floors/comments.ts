import { z } from 'zod';
import { pool, settings, text, type Handler } from './parts.ts';

const comment = z.looseObject({ from: z.looseObject({ userId: text }), commentText: z.string().max(50_000) });

const annotations = z.object({
  data: z.object({
    organizationId: text,
    documentId: text,
    commentAnnotations: z
      .array(
        z.looseObject({
          annotationId: text,
          location: z.looseObject({ id: z.union([text, z.number()]) }),
          commentData: z.array(comment).min(1).max(1_000),
        }),
      )
      .min(1)
      .max(1_000),
  }),
});

/** Threads, comments and authors by one statement. */
export const addAnnotations: Handler = async (body) => {
  const sent = annotations.parse(body).data.commentAnnotations;
  const comments = sent.flatMap(({ annotationId, commentData }) =>
    commentData.map((one, at) => ({ annotationId, id: at + 1, json: JSON.stringify(one) })),
  );
  await pool.query({
    name: 'annotations',
    text: `with t as (
        insert into thread (api_key_id, org_id, document_id, ext_id, location_id, creator_id, status_id, kind, last_actor_id,
          created_at, updated_at, last_comment_id, comment_count, content_bytes, body)
        select $1, $2, $3, id, location, $4, 'OPEN', 1, $4, $5::bigint, $5::bigint, count, count, 128 * count, body
        from unnest($6::text[], $7::text[], $8::int[], $9::json[]) as s (id, location, count, body) returning id, ext_id),
      c as (
        insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, body)
        select $1, $2, t.id, s.nth, $4, $5::bigint, $5::bigint, s.body
        from unnest($10::text[], $11::int[], $12::json[]) as s (annotation, nth, body) join t on t.ext_id = s.annotation)
      insert into thread_person (thread_id, user_id, api_key_id, org_id, roles) select t.id, $4, $1, $2, 1 from t`,
    values: [
      settings.BENCH_KEY,
      settings.BENCH_ORGANIZATION,
      settings.BENCH_DOCUMENT,
      settings.BENCH_USER,
      Date.now(),
      sent.map(({ annotationId }) => annotationId),
      sent.map(({ location }) => String(location.id)),
      sent.map(({ commentData }) => commentData.length),
      sent.map(({ commentData: _comments, ...thread }) => JSON.stringify(thread)),
      comments.map(({ annotationId }) => annotationId),
      comments.map(({ id }) => id),
      comments.map(({ json }) => json),
    ],
  });
  return { result: { status: 'success' } };
};

const comments = z.object({
  data: z.object({
    organizationId: text,
    documentId: text,
    annotationId: text,
    commentData: z.array(comment).length(1),
  }),
});

/** Updates the thread's row, and inserts a comment and its author. */
export const addComment: Handler = async (body) => {
  const { annotationId, commentData } = comments.parse(body).data;
  const json = JSON.stringify(commentData[0]);
  const { rows } = await pool.query<{ id: string }>({
    name: 'comments',
    text: `with t as (
        update thread set comment_count = comment_count + 1, last_comment_id = last_comment_id + 1, last_actor_id = $4,
          content_bytes = content_bytes + $7::int, updated_at = greatest(updated_at, $5::bigint)
        where org_id = $2 and ext_id = $6 and document_id = $3 returning id, last_comment_id),
      p as (
        insert into thread_person (thread_id, user_id, api_key_id, org_id, roles) select t.id, $4, $1, $2, 1 from t
        on conflict (thread_id, user_id) do update set roles = thread_person.roles | 1)
      insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, body)
      select $1, $2, t.id, t.last_comment_id, $4, $5::bigint, $5::bigint, $8::json from t returning ext_id as id`,
    values: [
      settings.BENCH_KEY,
      settings.BENCH_ORGANIZATION,
      settings.BENCH_DOCUMENT,
      settings.BENCH_USER,
      Date.now(),
      annotationId,
      Buffer.byteLength(json),
      json,
    ],
  });
  return { result: { status: 'success', data: rows.map(({ id }) => Number(id)) } };
};

const counts = z.object({ organization: text, user: text, documentIds: z.array(text).min(1).max(30) });

/** The counts of public annotations, by document. */
export const countAnnotations: Handler = async (body) => {
  const { organization, user, documentIds } = counts.parse(body);
  const { rows } = await pool.query<{ ext_id: string; total: number; unread: number }>({
    name: 'annotation-counts',
    text: `select d.ext_id, n.total, n.unread from document d
      left join thread_view w on w.user_id = $2 and w.document_id = d.id and w.thread_id = 0
      cross join lateral (
        select count(*)::int as total, (count(*) filter (where t.last_actor_id is distinct from $2::bigint
          and t.updated_at > greatest(coalesce(w.viewed_at, -1), coalesce(v.viewed_at, -1))))::int as unread
        from thread t left join thread_view v on v.user_id = $2 and v.document_id = d.id and v.thread_id = t.id
        where t.document_id = d.id and (t.visibility = 0 or t.creator_id = $2::bigint
          or exists (select from thread_audience a where a.thread_id = t.id and a.kind = 1 and a.ref_id = $2::bigint))) n
      where d.org_id = $1 and d.ext_id = any($3::text[])`,
    values: [organization, user, documentIds],
  });
  return { result: { data: Object.fromEntries(rows.map(({ ext_id, ...found }) => [ext_id, found])) } };
};
