import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { byteChunks } from '../byte-chunks.ts';
import type { CommentBody, NamedUser } from '../comments/comment.entity.ts';
import { taggedUsers } from '../comments/comment.ts';
import { peopleBytes, readEmitted, type EmittedThread } from '../comments/emission/read-emitted.ts';
import { annotationsOf } from '../comments/emission/rendered-change.ts';
import type { Metadata } from '../metadata.ts';
import { bodyText, maxLengths, oneLine, textOf } from '../notices/messages/clean-text.ts';
import { contentOf, showsTexts, type ContentSettings } from '../notices/messages/content.ts';
import { actionTypeOf } from '../notifications/notification.ts';
import type { NotificationBody } from '../notifications/notification.entity.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { shownText } from '../users/shown-text.ts';
import type { ReadMessage } from './read-messages.ts';

/** Settings of the channel whose template data is built. */
export interface TemplateSettings {
  readonly tenant: Pick<Tenant, 'id'>;
  readonly settings: ContentSettings;
  /** The sender's address. */
  readonly from: string;
}

interface Subject {
  readonly id: string;
  readonly thread: string;
}

/**
 * Max bytes of the JSON beside `unsubscribeUrl`. Beyond this, the annotation and the metadata of the document are omitted;
 * a message that is still larger has none.
 */
const maxBytes = 102_400;

/** So many messages are read without a statement that reads their sizes: one has up to 1.5 MiB of stored JSON. */
const maxUnsized = 4;

/**
 * Builds the `dynamic_template_data` of messages about comments, by the surrogate keys of their notices, as JSON without
 * `unsubscribeUrl`. A message whose thread is deleted has none. Reads at most 2 MiB of stored JSON at a time, 6 MiB for up
 * to 4 messages, and keeps only texts of at most 100 KiB: 5 MiB for a claim of 50.
 */
export async function readTemplateData(
  em: EntityManager,
  settings: TemplateSettings,
  messages: readonly ReadMessage[],
): Promise<ReadonlyMap<string, string>> {
  const subjects = messages.flatMap(({ id, thread }) => (thread === null ? [] : [{ id, thread }]));
  const byId = new Map(messages.map((message) => [message.id, message]));
  const data = new Map<string, string>();
  for (const chunk of await chunksOf(em, settings.tenant.id, subjects)) {
    const emitted = await readEmitted(em, [...new Set(chunk.map(({ thread }) => thread))]);
    for (const row of await readSubjects(em, settings.tenant.id, chunk)) {
      const [message, thread] = [byId.get(row.id), emitted.get(row.thread)];
      const text = message && thread && templateJson(settings, message, thread, row);
      if (text !== undefined) data.set(row.id, text);
    }
  }
  return data;
}

/** Returns the JSON as a text of its own: members may be parts of large texts, which they would keep in memory. */
function templateJson(
  { settings, from }: TemplateSettings,
  message: ReadMessage,
  emitted: EmittedThread,
  row: SubjectRow,
): string | undefined {
  const { notice } = message;
  const isShown = showsTexts(notice, settings);
  const { subject, text, link, documentName, actorName } = contentOf(notice, settings);
  const { comment_count: commentsCount } = emitted.thread;
  const latest = commentOf(row.latest, isShown);
  const actor = row.body.actionUser as NamedUser;
  const data = {
    firstComment: commentOf(row.first, isShown),
    latestComment: latest,
    prevComment: commentOf(row.previous, isShown),
    commentsCount,
    commentsCountMoreThanThree: commentsCount > 3,
    fromUser: profileOf(actor),
    actionType: actionTypeOf(row.body) ?? '',
    message: text,
    messageFromName: actorName,
    name: oneLine(row.reader_name, maxLengths.name),
    fromEmail: from,
    photoUrl: textOf(actor['photoUrl']),
    pageUrl: link ?? '',
    pageTitle: documentName,
    subject,
  };
  const commentAnnotation = annotationIn(message, emitted, isShown);
  const whole = JSON.stringify({ ...data, commentAnnotation, documentMetadata: row.metadata });
  if (fits(whole)) return whole;
  const short = JSON.stringify(data);
  return fits(short) ? short : undefined;
}

const fits = (json: string): boolean => Buffer.byteLength(json) <= maxBytes;

const CommentInTemplate = z.strictObject({ id: z.number(), body: z.custom<CommentBody>() }).nullable();

const SubjectRow = z.strictObject({
  id: z.string(),
  thread: z.string(),
  body: z.custom<NotificationBody>(),
  metadata: z.custom<Metadata>(),
  reader_name: z.string(),
  first: CommentInTemplate,
  /** The comment of the notification, else the last one. */
  latest: CommentInTemplate,
  previous: CommentInTemplate,
});
type SubjectRow = Readonly<z.infer<typeof SubjectRow>>;

/** SQL: the CTE `chosen`: the messages with the body of their notification and the keys of the comments that they show. */
const chosen = (tenantId: string, subjects: readonly Subject[]) => {
  const threads = subjects.map(({ thread }) => thread);
  return sql`
      subjects as materialized (
        select n.id, n.document_id, n.user_id, k.thread_id, t.body, t.comment_id
        from unnest(${subjects.map(({ id }) => id)}::bigint[], ${threads}::bigint[]) as k (id, thread_id)
        cross join lateral (select * from notice where id = k.id and api_key_id = ${tenantId} offset 0) n
        cross join lateral (select body, comment_id from notification where id = n.notification_id offset 0) t),
      ranked as materialized (
        select thread_id, id, first_value(id) over thread as first_id, lag(id) over thread as previous_id,
          lead(id) over thread is null as is_last
        from comment where thread_id = any(${threads}::bigint[]) window thread as (partition by thread_id order by created_at, id)),
      chosen as (
        select distinct on (s.id) s.*, r.first_id, r.id as latest_id, r.previous_id
        from subjects s left join ranked r on r.thread_id = s.thread_id and (r.id = s.comment_id or r.is_last)
        order by s.id, r.id = s.comment_id desc nulls last)`;
};

const SizeRow = z.strictObject({ id: z.string(), thread: z.string(), bytes: z.number() });

/** Splits messages into chunks of at most 2 MiB of stored JSON, each with at least one. */
async function chunksOf(
  em: EntityManager,
  tenantId: string,
  subjects: readonly Subject[],
): Promise<(readonly Subject[])[]> {
  if (subjects.length === 0) return [];
  if (subjects.length <= maxUnsized) return [subjects];
  const sizes = await rowsOf(
    em,
    SizeRow,
    sql`with ${chosen(tenantId, subjects)}
      select s.id, s.thread_id as thread, (octet_length(s.body::text)
        + coalesce((select octet_length(d.metadata::text) from document d where d.id = s.document_id), 0)
        + coalesce((select octet_length(t.body::text) + ${peopleBytes} from thread t where t.id = s.thread_id), 0)
        + coalesce((select sum(octet_length(c.body::text)) from comment c
            where c.id = any(array[s.first_id, s.latest_id, s.previous_id])), 0))::int as bytes
      from chosen s order by s.id`,
  );
  return byteChunks(sizes, ({ bytes }) => bytes);
}

async function readSubjects(em: EntityManager, tenantId: string, subjects: readonly Subject[]) {
  const comment = (id: ReturnType<typeof sql>) =>
    sql`(select json_build_object('id', c.ext_id, 'body', c.body) from comment c where c.id = ${id})`;
  return rowsOf(
    em,
    SubjectRow,
    sql`with ${chosen(tenantId, subjects)}
      select s.id, s.thread_id as thread, s.body, d.metadata, u.name as reader_name, ${comment(sql`s.first_id`)} as first,
        ${comment(sql`s.latest_id`)} as latest, ${comment(sql`s.previous_id`)} as previous
      from chosen s
      cross join lateral (select metadata from document where id = s.document_id offset 0) d
      cross join lateral (select name from app_user where id = s.user_id offset 0) u`,
  );
}

function commentOf(comment: z.infer<typeof CommentInTemplate>, isShown: boolean): object | null {
  if (comment === null) return null;
  const { commentText = '', from, isCommentResolverUsed } = comment.body;
  const isHeld = !isShown || isCommentResolverUsed === true;
  return {
    commentId: comment.id,
    commentText: isHeld ? '' : bodyText(shownText(commentText, taggedUsers(comment.body)), maxLengths.text),
    from: profileOf(from),
  };
}

const profileOf = (user: NamedUser): object => ({
  userId: user.userId,
  name: oneLine(textOf(user['name']), maxLengths.name),
  email: textOf(user['email']),
  photoUrl: textOf(user['photoUrl']),
});

/** Returns the annotation as in its events; with texts disabled, only its ids, state and times. */
function annotationIn({ notice }: ReadMessage, emitted: EmittedThread, isShown: boolean): object {
  const { organizationId, documentId } = notice.ids;
  const { annotation } = annotationsOf({ organizationId, documentId })(emitted);
  if (isShown) return annotation;
  const { thread } = emitted;
  return {
    annotationId: thread.ext_id,
    status: thread.body.status,
    commentsCount: thread.comment_count,
    createdAt: Number(thread.created_at),
    lastUpdated: Number(thread.updated_at),
    metadata: { organizationId, documentId },
  };
}
