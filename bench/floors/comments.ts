import { createHash } from 'node:crypto';
import { z } from 'zod';
import { pool, settings, text, type Handler } from './shared.ts';

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

/*
 * The writes that the tables require: rows of threads, comments and people with every column and index. Also the lookup
 * and locks of organization, document and authors, and the hash that identifies a repeated item. Without write fences,
 * thread limits, the name index, retries and group commit.
 */
const located = `o as (select id from organization where api_key_id = $1 and ext_id = $2 for key share),
  d as (select id from document where org_id = (select id from o) and ext_id = $3 for key share),
  u as (select id, ext_id from app_user where api_key_id = $1 and ext_id = any($4::text[]) order by id for key share)`;

const hashOf = (json: string): Buffer => createHash('sha256').update(json).digest();

/** Inserts threads, comments and authors by one statement. */
export const addAnnotations: Handler = async (body) => {
  const { organizationId, documentId, commentAnnotations: sent } = annotations.parse(body).data;
  const threads = sent.map(({ commentData, ...thread }) => ({
    id: thread.annotationId,
    location: String(thread.location.id),
    author: commentData[0]?.from.userId ?? '',
    count: commentData.length,
    json: JSON.stringify(thread),
  }));
  const comments = sent.flatMap(({ annotationId, commentData }) =>
    commentData.map((one, at) => ({
      annotationId,
      id: at + 1,
      author: one.from.userId,
      json: JSON.stringify(one),
    })),
  );
  await pool.query({
    name: 'annotations',
    text: `with ${located},
      t as (
        insert into thread (api_key_id, org_id, document_id, ext_id, location_id, creator_id, status_id, kind, last_actor_id,
          created_at, updated_at, last_comment_id, comment_count, content_bytes, content_hash, body)
        select $1, (select id from o), (select id from d), s.id, location, u.id, 'OPEN', 1, u.id, $5::bigint, $5::bigint,
          count, count, 128 * count, hash, body
        from unnest($6::text[], $7::text[], $8::text[], $9::int[], $10::bytea[], $11::json[])
          as s (id, location, author, count, hash, body) join u on u.ext_id = s.author returning id, ext_id),
      s as materialized (
        select t.id as thread, u.id as author, s.nth, s.hash, s.body
        from unnest($12::text[], $13::int[], $14::text[], $15::bytea[], $16::json[]) as s (annotation, nth, author, hash, body)
        join t on t.ext_id = s.annotation join u on u.ext_id = s.author),
      c as (
        insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, content_hash, body)
        select $1, (select id from o), thread, nth, author, $5::bigint, $5::bigint, hash, body from s)
      insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
      select distinct thread, author, $1::bigint, (select id from o), 1 from s`,
    values: [
      settings.BENCH_KEY,
      organizationId,
      documentId,
      [...new Set(comments.map(({ author }) => author))],
      Date.now(),
      threads.map(({ id }) => id),
      threads.map(({ location }) => location),
      threads.map(({ author }) => author),
      threads.map(({ count }) => count),
      threads.map(({ json }) => hashOf(json)),
      threads.map(({ json }) => json),
      comments.map(({ annotationId }) => annotationId),
      comments.map(({ id }) => id),
      comments.map(({ author }) => author),
      comments.map(({ json }) => hashOf(json)),
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
  const { organizationId, documentId, annotationId, commentData } = comments.parse(body).data;
  const [sent] = commentData;
  const json = JSON.stringify(sent);
  const { rows } = await pool.query<{ id: string }>({
    name: 'comments',
    text: `with ${located},
      t as (
        update thread set comment_count = comment_count + 1, last_comment_id = last_comment_id + 1,
          last_actor_id = (select id from u), content_bytes = content_bytes + $7::int, updated_at = greatest(updated_at, $5::bigint)
        where org_id = (select id from o) and ext_id = $6 and document_id = (select id from d) returning id, last_comment_id),
      p as (
        insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
        select t.id, (select id from u), $1, (select id from o), 1 from t
        on conflict (thread_id, user_id) do update set roles = thread_person.roles | 1)
      insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, content_hash, body)
      select $1, (select id from o), t.id, t.last_comment_id, (select id from u), $5::bigint, $5::bigint, $8::bytea, $9::json from t
      returning ext_id as id`,
    values: [
      settings.BENCH_KEY,
      organizationId,
      documentId,
      [sent?.from.userId ?? ''],
      Date.now(),
      annotationId,
      Buffer.byteLength(json),
      hashOf(json),
      json,
    ],
  });
  return { result: { status: 'success', data: rows.map(({ id }) => Number(id)) } };
};

const counts = z.object({ organization: text, user: text, documentIds: z.array(text).min(1).max(30) });

/** Returns the counts of visible annotations by document. */
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
