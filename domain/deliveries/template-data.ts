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

/** What a template of SendGrid shows beside the notification. */
export interface TemplateRequest {
  readonly tenant: Tenant;
  readonly settings: ContentSettings;
  /** About a comment thread. */
  readonly message: ReadMessage;
  /** The sender's address. */
  readonly from: string;
  readonly unsubscribeUrl: string | undefined;
}

/** Max JSON bytes; beyond them the annotation and the metadata of the document are left out. */
const maxBytes = 102_400;

/** Returns the `dynamic_template_data` of a message about a comment; undefined when its thread is gone. Three statements. */
export async function templateData(
  em: EntityManager,
  { tenant, settings, message, from, unsubscribeUrl }: TemplateRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { thread, notice } = message;
  const emitted = thread === null ? undefined : (await readEmitted(em, [thread])).get(thread);
  const [row] = thread === null ? [] : await readSubject(em, tenant.id, message.id, thread);
  if (emitted === undefined || row === undefined) return undefined;
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
  body: z.custom<NotificationBody>(),
  metadata: z.custom<Metadata>(),
  reader_name: z.string(),
  first: CommentInTemplate,
  /** The comment of the notification, else the last one. */
  latest: CommentInTemplate,
  previous: CommentInTemplate,
});

async function readSubject(em: EntityManager, tenantId: string, notice: string, thread: string) {
  const comment = (nth: ReturnType<typeof sql>) =>
    sql`(select json_build_object('id', c.ext_id, 'body', c.body) from ranked k join comment c on c.id = k.id where k.nth = ${nth})`;
  return rowsOf(
    em,
    SubjectRow,
    sql`with ranked as materialized (
        select id, row_number() over (order by created_at, id) as nth from comment where thread_id = ${thread})
      select t.body, d.metadata, u.name as reader_name, ${comment(sql`1`)} as first, ${comment(sql`l.nth`)} as latest,
        ${comment(sql`l.nth - 1`)} as previous
      from (select * from notice where id = ${notice} and api_key_id = ${tenantId}) n
      cross join lateral (select body, comment_id from notification where id = n.notification_id offset 0) t
      cross join lateral (select metadata from document where id = n.document_id offset 0) d
      cross join lateral (select name from app_user where id = n.user_id offset 0) u
      cross join lateral (
        select coalesce((select nth from ranked where id = t.comment_id), (select max(nth) from ranked)) as nth) l`,
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

/** The annotation as in its events; without texts, ids, state and times alone. */
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
