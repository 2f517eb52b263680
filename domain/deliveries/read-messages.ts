import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { byteChunks } from '../byte-chunks.ts';
import type { CommentBody } from '../comments/comment.entity.ts';
import { taggedUsers } from '../comments/comment.ts';
import { emissionOf, emissions, type ThreadEventType } from '../comments/emission/change.ts';
import type { ThreadBody } from '../comments/thread.entity.ts';
import { filledHeadline } from '../headline.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { bodyText, maxLengths, oneLine, textOf } from '../notices/messages/clean-text.ts';
import type { Notice } from '../notices/messages/content.ts';
import { whyNumbers, type Why } from '../notices/statuses.ts';
import { actionTypeOf } from '../notifications/notification.ts';
import type { NotificationBody } from '../notifications/notification.entity.ts';
import { shownText } from '../users/shown-text.ts';
import type { Lane } from './write-deliveries.ts';

const MessageRow = z.strictObject({
  id: z.string(),
  delivery: z.string(),
  why: z.number(),
  notification_ext: z.string(),
  organization_ext: z.string(),
  document_ext: z.string(),
  organization: z.string(),
  organization_name: z.string(),
  document: z.string(),
  document_name: z.string(),
  thread: z.string().nullable(),
  thread_ext: z.string().nullable(),
  creator_name: z.string().nullable(),
  thread_body: z.custom<ThreadBody | null>(),
  comment_ext: z.string().nullable(),
  comment_body: z.custom<CommentBody | null>(),
  actor_name: z.string().nullable(),
  at: z.string(),
  body: z.custom<NotificationBody>(),
  /** A caller replaced the body of the comment's notification. */
  own_body: z.boolean(),
});
type MessageRow = z.infer<typeof MessageRow>;

/** The content of a notice's message, its texts cleaned and cut. `organization`, `document`, `thread`: surrogate keys. */
export interface ReadMessage {
  readonly id: string;
  readonly why: Why;
  readonly organization: string;
  readonly organizationName: string;
  readonly document: string;
  readonly thread: string | null;
  readonly notice: Notice;
}

const SizeRow = z.strictObject({ id: z.string(), bytes: z.number() });

/** So many notices are read without a statement that reads their sizes: a notice has up to 768 KiB. */
const maxUnsized = 16;

/**
 * Reads the contents of the messages of notices, at most 2 MiB of stored bodies at a time; oldest first, by the surrogate
 * key of their delivery. Keeps only what messages show: at most 11 KB of each notice and 80 KB more of each delivery, 32 MB
 * for a claim of 50 digests of 50.
 */
export async function readMessages(
  em: EntityManager,
  lane: Lane,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly ReadMessage[]>> {
  if (ids.length === 0) return new Map();
  const messages = new Map<string, ReadMessage[]>();
  for (const chunk of await chunksOf(em, lane, ids)) {
    for (const row of await readRows(em, lane, chunk)) {
      const ofDelivery = messages.get(row.delivery) ?? [];
      messages.set(row.delivery, ofDelivery);
      // The first may be the only one, which shows more of its text.
      const maxText = ofDelivery.length === 0 ? maxLengths.text : maxLengths.digestText;
      ofDelivery.push(messageOf(row, maxText));
    }
  }
  return messages;
}

/** SQL: the notices of `k`, with their notification, thread and comment. */
const noticesWithBodies = ({ tenantId }: Lane, ids: readonly string[]) => sql`
      from unnest(${ids}::bigint[]) as k (id)
      -- Without a condition on delivery_id, whose partial index looks cheaper than the primary key while no delivery waits.
      cross join lateral (select * from notice where id = k.id and api_key_id = ${tenantId} offset 0) n
      cross join lateral (
        select ext_id, thread_id, comment_id, actor_id, ts, body, own_body from notification
        where id = n.notification_id offset 0) t
      left join lateral (select id, ext_id, creator_id, body from thread where id = t.thread_id offset 0) h on true
      left join lateral (select ext_id, body from comment where id = t.comment_id offset 0) c on true`;

/** Splits notices into chunks in the order of their times. */
async function chunksOf(
  em: EntityManager,
  lane: Lane,
  ids: readonly string[],
): Promise<(readonly string[])[]> {
  if (ids.length <= maxUnsized) return [ids];
  const bytes = sql`(octet_length(t.body::text) + coalesce(octet_length(h.body::text), 0)
    + coalesce(octet_length(c.body::text), 0))`;
  const sizes = await rowsOf(
    em,
    SizeRow,
    sql`select n.id, ${bytes} as bytes ${noticesWithBodies(lane, ids)} order by t.ts, n.id`,
  );
  return byteChunks(sizes, (size) => size.bytes).map((chunk) => chunk.map(({ id }) => id));
}

const readRows = async (em: EntityManager, lane: Lane, ids: readonly string[]): Promise<MessageRow[]> =>
  rowsOf(
    em,
    MessageRow,
    sql`select n.id, n.delivery_id as delivery, n.why, t.ext_id as notification_ext, o.ext_id as organization_ext, d.ext_id as document_ext,
        o.id as organization, o.name as organization_name, d.id as document, d.name as document_name,
        h.id as thread, h.ext_id as thread_ext, h.body as thread_body, (select name from app_user where id = h.creator_id) as creator_name,
        c.ext_id::text as comment_ext, c.body as comment_body, (select name from app_user where id = t.actor_id) as actor_name,
        t.ts as at, t.body, t.own_body ${noticesWithBodies(lane, ids)}
      cross join lateral (select id, ext_id, name from organization where id = n.org_id and ext_id is not null offset 0) o
      cross join lateral (select id, ext_id, name from document where id = n.document_id and ext_id is not null offset 0) d
      where n.delivery_id is not null
      order by t.ts, n.id`,
  );

function messageOf(row: MessageRow, maxText: number): ReadMessage {
  const { body, comment_body: comment, thread_body: thread } = row;
  return {
    id: row.id,
    why: nameOfNumber(whyNumbers, row.why),
    organization: row.organization,
    organizationName: row.organization_name || row.organization_ext,
    document: row.document,
    thread: row.thread,
    notice: {
      ids: {
        organizationId: row.organization_ext,
        documentId: row.document_ext,
        notificationId: row.notification_ext,
        annotationId: row.thread_ext ?? undefined,
        commentId: row.comment_ext ?? undefined,
      },
      documentName: row.document_name || row.document_ext,
      comment:
        thread === null
          ? undefined
          : {
              annotationCreator: cutName(
                row.creator_name || nameOf(thread.from) || (thread.from?.userId ?? formerUser),
              ),
            },
      actorName: cutName(nameOf(body.actionUser) || row.actor_name || ''),
      headline: copied(oneLine(filledHeadline(body) ?? '', maxLengths.subject)),
      headlineIsOurs: row.thread !== null && isRendered(body),
      text: copied(bodyText(sentText(row), maxText)),
      textsHeldElsewhere:
        body['isNotificationResolverUsed'] === true || comment?.isCommentResolverUsed === true,
      at: Number(row.at),
    },
  };
}

/** Whether the headline of a comment's notification is the one that Steward wrote: `notifications/update` may replace it. */
function isRendered(body: NotificationBody): boolean {
  const actionType = actionTypeOf(body);
  if (actionType === undefined || !Object.hasOwn(emissions, actionType)) return false;
  const { headline } = emissionOf(actionType as ThreadEventType);
  const { actionUser } = (body['displayHeadlineMessageTemplateData'] ?? {}) as {
    readonly actionUser?: unknown;
  };
  return (
    body['displayHeadlineMessageTemplate'] === headline && isDeepStrictEqual(actionUser, body.actionUser)
  );
}

const sentText = ({ body, comment_body: comment, own_body }: MessageRow): string =>
  comment === null || own_body
    ? textOf(body['displayBodyMessage'])
    : shownText(comment.commentText ?? '', taggedUsers(comment));

const nameOf = (user: { readonly userId: string; readonly [member: string]: unknown } | undefined): string =>
  textOf(user?.['name']);

/** Names the creator of a thread whose data was deleted. */
const formerUser = 'a former user';

const cutName = (name: string): string => copied(oneLine(name, maxLengths.name));

/** Returns a well-formed text as a string of its own: one that was cut keeps the whole text in memory. */
const copied = (text: string): string => Buffer.from(text).toString();
