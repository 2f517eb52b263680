import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { CommentBody, NamedUser } from '../comments/comment.ts';
import { readEmitted, type EmittedThread } from '../comments/emission/read-emitted.ts';
import { annotationsOf, shownText } from '../comments/emission/rendered-change.ts';
import type { Metadata } from '../metadata.ts';
import { bodyText, maxLengths, oneLine } from '../notices/messages/clean-text.ts';
import { contentOf, showsTexts, type ContentSettings } from '../notices/messages/content.ts';
import type { NotificationBody } from '../notifications/notification.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { ReadMessage } from './read-messages.ts';

/** The delivery whose `dynamic_template_data` is built. */
export interface TemplateRequest {
  readonly tenant: Tenant;
  readonly settings: ContentSettings;
  readonly message: ReadMessage;
  /** The sender's address. */
  readonly from: string;
  readonly unsubscribeUrl: string | undefined;
}

/** Facts that a SendGrid template shows beside the message. */
export interface TemplateFacts {
  readonly emitted: EmittedThread;
  readonly row: SubjectRow;
}

/** Max bytes of the JSON. Beyond this, the annotation and the metadata of the document are omitted. */
const maxBytes = 102_400;

/**
 * Reads the facts for templates of messages about comments, by the surrogate keys of the notices, in three statements. A
 * message whose thread is deleted has none.
 */
export async function readTemplateFacts(
  em: EntityManager,
  tenantId: string,
  messages: readonly ReadMessage[],
): Promise<ReadonlyMap<string, TemplateFacts>> {
  const subjects = messages.flatMap(({ id, thread }) => (thread === null ? [] : [{ id, thread }]));
  if (subjects.length === 0) return new Map();
  const emitted = await readEmitted(em, [...new Set(subjects.map(({ thread }) => thread))]);
  const rows = await readSubjects(em, tenantId, subjects);
  return new Map(
    rows.flatMap((row) => {
      const thread = emitted.get(row.thread);
      return thread === undefined ? [] : [[row.id, { emitted: thread, row }] as const];
    }),
  );
}

/** Returns the `dynamic_template_data` of a message about a comment. */
export function templateData(
  { tenant, settings, message, from, unsubscribeUrl }: TemplateRequest,
  { emitted, row }: TemplateFacts,
): Readonly<Record<string, unknown>> {
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
    actionType: actionTypeOf(row.body),
    message: text,
    messageFromName: actorName,
    name: oneLine(row.reader_name, maxLengths.name),
    fromEmail: from,
    photoUrl: textOf(actor['photoUrl']),
    pageUrl: link ?? '',
    pageTitle: documentName,
    subject,
    unsubscribeUrl: unsubscribeUrl ?? '',
  };
  const commentAnnotation = annotationIn(tenant, message, emitted, isShown);
  const whole = { ...data, commentAnnotation, documentMetadata: row.metadata };
  return Buffer.byteLength(JSON.stringify(whole)) <= maxBytes ? whole : data;
}

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

async function readSubjects(
  em: EntityManager,
  tenantId: string,
  subjects: readonly { readonly id: string; readonly thread: string }[],
) {
  const comment = (id: ReturnType<typeof sql>) =>
    sql`(select json_build_object('id', c.ext_id, 'body', c.body) from comment c where c.id = ${id})`;
  const threads = subjects.map(({ thread }) => thread);
  return rowsOf(
    em,
    SubjectRow,
    sql`with subjects as materialized (
        select n.id, k.thread_id, t.body, t.comment_id, d.metadata, u.name as reader_name
        from unnest(${subjects.map(({ id }) => id)}::bigint[], ${threads}::bigint[]) as k (id, thread_id)
        cross join lateral (select * from notice where id = k.id and api_key_id = ${tenantId} offset 0) n
        cross join lateral (select body, comment_id from notification where id = n.notification_id offset 0) t
        cross join lateral (select metadata from document where id = n.document_id offset 0) d
        cross join lateral (select name from app_user where id = n.user_id offset 0) u),
      ranked as materialized (
        select thread_id, id, first_value(id) over thread as first_id, lag(id) over thread as previous_id,
          lead(id) over thread is null as is_last
        from comment where thread_id = any(${threads}::bigint[]) window thread as (partition by thread_id order by created_at, id)),
      chosen as (
        select distinct on (s.id) s.*, r.first_id, r.id as latest_id, r.previous_id
        from subjects s left join ranked r on r.thread_id = s.thread_id and (r.id = s.comment_id or r.is_last)
        order by s.id, r.id = s.comment_id desc nulls last)
      select s.id, s.thread_id as thread, s.body, s.metadata, s.reader_name, ${comment(sql`s.first_id`)} as first,
        ${comment(sql`s.latest_id`)} as latest, ${comment(sql`s.previous_id`)} as previous
      from chosen s`,
  );
}

function commentOf(comment: z.infer<typeof CommentInTemplate>, isShown: boolean): object | null {
  if (comment === null) return null;
  const { commentText = '', from, taggedUserContacts = [], isCommentResolverUsed } = comment.body;
  const tagged = taggedUserContacts.map(({ userId, contact }) => contact ?? { userId });
  const isHeld = !isShown || isCommentResolverUsed === true;
  return {
    commentId: comment.id,
    commentText: isHeld ? '' : bodyText(shownText(commentText, tagged), maxLengths.text),
    from: profileOf(from),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const profileOf = (user: NamedUser): object => ({
  userId: user.userId,
  name: oneLine(textOf(user['name']), maxLengths.name),
  email: textOf(user['email']),
  photoUrl: textOf(user['photoUrl']),
});

const actionTypeOf = ({ notificationSourceData }: NotificationBody): string =>
  textOf((notificationSourceData as { readonly actionType?: unknown } | undefined)?.actionType);

/** Returns the annotation as in its events; with texts disabled, only its ids, state and times. */
function annotationIn(
  tenant: Tenant,
  { notice }: ReadMessage,
  emitted: EmittedThread,
  isShown: boolean,
): object {
  const { organizationId, documentId } = notice.ids;
  const { annotation } = annotationsOf(tenant, { organizationId, documentId })(emitted);
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
