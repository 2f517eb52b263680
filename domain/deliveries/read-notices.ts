import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { channelNumbers, type SentChannel } from '../notices/channels.ts';
import { noticeStates, whyNumbers } from '../notices/statuses.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { wholeDocument } from '../comments/thread-view.entity.ts';
import { tablesOf } from '../tables.ts';
import { fenceStandsIn } from '../users/lock-users.ts';

/** A notice with the facts of the sending rules. Surrogate keys, and the customer's ids as `…_ext`; null: deleted. */
const NoticeRow = z.strictObject({
  id: z.string(),
  organization: z.string(),
  document: z.string(),
  user: z.string(),
  notification: z.string(),
  delivery: z.string().nullable(),
  why: z.number(),
  verify: z.boolean(),
  /** Milliseconds since the notice became ready; 0 in a window, because it becomes ready when the window is due. */
  ready_ms: z.number(),
  exists: z.boolean(),
  seen: z.boolean(),
  organization_ext: z.string().nullable(),
  document_ext: z.string().nullable(),
  user_ext: z.string().nullable(),
  fenced: z.boolean(),
  /**
   * The address of the user's record, else the one sent with the notification, else (for comments) that of the last
   * comment of the thread that tags the user, else empty.
   */
  email: z.string(),
  /** `slackUserId` of the user's metadata. */
  slack_user: z.string().nullable(),
  /** The preference for the channel; null: the default. */
  level: z.number().nullable(),
  thread: z.string().nullable(),
  visibility: z.number().nullable(),
  creator: z.string().nullable(),
});
export type NoticeRow = Readonly<z.infer<typeof NoticeRow>>;

/** Input of a read of notices. `ids`: surrogate keys of notices of one key. */
export interface NoticeQuery {
  readonly tenantId: string;
  readonly channel: SentChannel;
  readonly now: RawBuilder<Date>;
  readonly ids: readonly string[];
}

/**
 * Locks the users of notices. A later deletion of their data waits for this transaction; `readNotices`, a second
 * statement, reads an earlier one as `fenced`.
 */
export async function lockReaders(em: EntityManager, users: readonly string[]): Promise<void> {
  await sql`select id from app_user where id = any(${[...new Set(users)]}::bigint[]) order by id for key share`.execute(
    tablesOf(em),
  );
}

/** SQL: whether a deletion of the data of user `u` in the organization with this key runs. */
const isFenced = (organization: RawBuilder<unknown>) => sql`exists (
  select from user_deletion d where d.api_key_id = u.api_key_id and d.user_ext_id = u.ext_id
    and ${fenceStandsIn(organization)})`;

/** SQL: whether the message of `n` goes to the Slack account in the profile of `u`, which needs no address. */
const hasAccount = sql`(n.channel = ${sql.lit(channelNumbers.slack)} and u.slack_user is not null)`;

/**
 * SQL: the address in the last comment of the thread of `t` that tags the user `u`. Reads the other comments of the thread,
 * at most 1,000, without their bodies. Other records name users too, but give no address for messages.
 */
const lastTagged = sql`(
  select nullif(g.tag #>> '{contact,email}', '')
  from (
    select c.body from comment c where c.thread_id = t.thread_id and c.tagged @> array[n.user_id]
    order by c.ext_id desc limit 1) c
  cross join lateral json_array_elements(c.body -> 'taggedUserContacts') as g (tag)
  where g.tag ->> 'userId' = u.ext_id and json_typeof(g.tag #> '{contact,email}') = 'string' limit 1)`;

/** Reads notices with their stored facts, in one statement, in order of their due times. */
export async function readNotices(
  em: EntityManager,
  { tenantId, channel, now, ids }: NoticeQuery,
): Promise<NoticeRow[]> {
  if (ids.length === 0) return [];
  const level = sql.ref(channel);
  return rowsOf(
    em,
    NoticeRow,
    sql`select n.id, n.org_id as organization, n.document_id as document, n.user_id as "user", n.notification_id as notification,
        n.delivery_id as delivery, n.why, n.verify,
        case when n.state = ${sql.lit(noticeStates.batching)} then 0 else extract(epoch from ${now} - n.due_at) * 1000 end::float8 as ready_ms,
        coalesce(t.id is not null and o.ext_id is not null and d.ext_id is not null and (t.thread_id is null or h.id is not null)
          and (t.comment_id is null or exists (select from comment c where c.id = t.comment_id))
          and case when n.in_inbox then r.user_id is not null else t.audience = n.audience end, false) as exists,
        coalesce(r.read_revision = t.revision or t.thread_id is not null and exists (
          select from thread_view v where v.user_id = n.user_id and v.document_id = n.document_id
            and v.thread_id in (t.thread_id, ${sql.lit(wholeDocument)}::bigint) and v.viewed_at >= t.ts), false) as seen,
        o.ext_id as organization_ext, d.ext_id as document_ext, u.ext_id as user_ext, coalesce(u.fenced, true) as fenced,
        coalesce(u.email, case when n.in_inbox then r.email else (
            select x.email from named_recipient x
            where x.notification_id = t.id and x.user_id = n.user_id and x.audience_id = t.audience) end,
          case when t.thread_id is not null and n.why <> ${sql.lit(whyNumbers.member)} and not ${hasAccount}
            then ${lastTagged} end, '') as email,
        u.slack_user, coalesce(own.level, general.level) as level, t.thread_id as thread, h.visibility, h.creator_id as creator
      from unnest(${ids}::bigint[]) as k (id)
      cross join lateral (select * from notice where id = k.id and api_key_id = ${tenantId} offset 0) n
      left join lateral (
        select id, thread_id, comment_id, audience, revision, ts from notification
        where id = n.notification_id and document_id = n.document_id offset 0) t on true
      left join lateral (
        select user_id, read_revision, email from notification_recipient
        where audience_id = t.audience and user_id = n.user_id offset 0) r on true
      left join lateral (select ext_id from organization where id = n.org_id and deleted_at is null offset 0) o on true
      left join lateral (
        select d.ext_id from document d where d.id = n.document_id and d.deleted_at is null and ${isVisible} offset 0) d on true
      left join lateral (
        select u.ext_id, nullif(u.email, '') as email,
          case when jsonb_typeof(u.metadata -> 'slackUserId') = 'string' then nullif(u.metadata ->> 'slackUserId', '') end as slack_user,
          ${isFenced(sql`n.org_id`)} as fenced
        from app_user u where u.id = n.user_id and u.deleted_at is null offset 0) u on true
      left join lateral (select id, visibility, creator_id from thread where id = t.thread_id offset 0) h on true
      left join lateral (
        select p.${level} as level from preference p
        where p.user_id = n.user_id and p.org_id = n.org_id and p.document_id = n.document_id offset 0) own on true
      left join lateral (
        select p.${level} as level from preference p
        where p.user_id = n.user_id and p.org_id = n.org_id and p.document_id = 0 offset 0) general on true
      order by n.due_at, n.id`,
  );
}

const FencedRow = z.strictObject({ id: z.string(), organization: z.string() });

/**
 * Returns the pairs of a locked user and an organization in which the user's data is not being deleted, as `user
 * organization`.
 */
export async function unfencedPairs(
  em: EntityManager,
  pairs: readonly { readonly user: string; readonly organization: string }[],
): Promise<ReadonlySet<string>> {
  const found = await rowsOf(
    em,
    FencedRow,
    sql`select u.id, k.organization
      from unnest(${pairs.map(({ user }) => user)}::bigint[], ${pairs.map(({ organization }) => organization)}::bigint[])
        as k (id, organization)
      cross join lateral (
        select u.id from app_user u where u.id = k.id and u.deleted_at is null and not ${isFenced(sql`k.organization`)} offset 0) u`,
  );
  return new Set(found.map(({ id, organization }) => `${id} ${organization}`));
}
