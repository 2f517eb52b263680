import { sql } from 'kysely';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { indexRecords } from '../users/name-index.ts';
import { sourceNumbers } from './notification.entity.ts';
import { locationOf, notificationRecordKind } from './notification.ts';
import type { NotificationBody } from './notification.entity.ts';
import type { RequestHashes } from './request-hashes.ts';

/** New content of a locked notification. Surrogate keys. */
export interface RewrittenNotification {
  readonly id: string;
  readonly document: string;
  readonly body: NotificationBody;
  readonly actor: string;
  readonly mentioned: readonly string[];
  /** Other keys of its free members, for the name index. */
  readonly names: readonly string[];
  readonly revision: number;
  /** Null after an update: the next add with this id overwrites the notification. */
  readonly hashes: RequestHashes | null;
  /** Its location changes and its recipients stay, so their rows must follow. */
  readonly relocated: boolean;
  /** New time, in milliseconds since the epoch; undefined keeps the stored one. */
  readonly at?: number | undefined;
  /** No longer about its comment: messages show the new texts, and deleting the comment keeps the notification. */
  readonly detached?: boolean;
  /** The caller replaced the body: messages show it from now on, not the comment's text. */
  readonly ownBody?: boolean;
}

/**
 * Rewrites notifications in one statement, and recipient rows with a new location in another. Notifications of comments
 * keep the users that they mention, unless they are detached: their texts name users that no object names.
 */
export async function rewriteNotifications(
  em: EntityManager,
  tenantId: string,
  organization: string,
  sent: readonly RewrittenNotification[],
): Promise<void> {
  if (sent.length === 0) return;
  const ids = sql`${sent.map(({ id }) => id)}::bigint[]`;
  const kind = sql.lit(notificationRecordKind);
  await sql`with sent as (
      select * from unnest(${ids}, ${sent.map(({ body }) => JSON.stringify(body))}::json[],
        ${sent.map(({ body }) => locationOf(body))}::text[],
        ${sent.map(({ body }) => sourceNumbers[body.notificationSource])}::smallint[],
        ${sent.map(({ actor }) => actor)}::bigint[], ${sent.map(({ mentioned }) => keysLiteral(mentioned))}::text[],
        ${sent.map(({ revision }) => revision)}::int[], ${sent.map(({ document }) => document)}::bigint[],
        ${sent.map(({ hashes }) => hashes?.content ?? null)}::bytea[],
        ${sent.map(({ hashes }) => hashes?.canonical ?? null)}::bytea[], ${sent.map(({ at }) => at ?? null)}::bigint[],
        ${sent.map(({ detached }) => detached === true)}::boolean[], ${sent.map(({ ownBody }) => ownBody === true)}::boolean[])
        as t (id, body, location_id, source, actor_id, mentioned, revision, document_id, hash, canonical, ts, detached, own_body)),
    written as (
      update notification n set body = s.body, location_id = s.location_id, source = s.source, actor_id = s.actor_id,
        thread_id = case when not s.detached then n.thread_id end, comment_id = case when not s.detached then n.comment_id end,
        mentioned = case when n.thread_id is null or s.detached then s.mentioned::bigint[]
          else array(select distinct u.id from unnest(n.mentioned || s.mentioned::bigint[]) as u (id)) end,
        revision = s.revision, document_id = s.document_id, content_hash = s.hash, canonical_hash = s.canonical,
        ts = coalesce(s.ts, n.ts),
        own_body = n.own_body or s.own_body
      from sent s where n.id = s.id and n.id = any(${ids}) and n.api_key_id = ${tenantId} returning n.id),
    earlier as (
      select n.id, u.user_id, n.thread_id is not null and not s.detached or u.user_id = any(s.mentioned::bigint[]) as still
      from sent s join notification n on n.id = s.id and n.id = any(${ids}) cross join lateral unnest(n.mentioned) as u (user_id)),
    unnamed as (
      delete from record_user r using earlier e
      where r.user_id = e.user_id and r.kind = ${kind} and r.record_id = e.id and not e.still)
    insert into record_user (user_id, kind, record_id, api_key_id, org_id)
    select u.id, ${kind}, s.id, ${tenantId}, ${organization}
    from sent s cross join lateral unnest(s.mentioned::bigint[]) as u (id)
    on conflict do nothing`.execute(tablesOf(em));
  await indexRecords(em, { id: tenantId }, 'notification', sent);
  const relocated = sent.filter((notification) => notification.relocated);
  if (relocated.length === 0) return;
  const moved = sql`${relocated.map(({ id }) => id)}::bigint[]`;
  await sql`with moved as materialized (
      select n.audience, s.location_id
      from unnest(${moved}, ${relocated.map(({ body }) => locationOf(body))}::text[]) as s (id, location_id)
        join notification n on n.id = s.id and n.id = any(${moved}) and n.api_key_id = ${tenantId})
    update notification_recipient r set location_id = m.location_id from moved m
    where r.audience_id = m.audience and r.audience_id = any(array(select audience from moved))
      and r.api_key_id = ${tenantId}`.execute(tablesOf(em));
}

/** Marks the current revision of locked notifications, by customer's ids, as read by those users that are recipients. */
export async function markRead(
  em: EntityManager,
  tenantId: string,
  organization: string,
  reads: readonly { readonly notificationId: string; readonly user: string }[],
): Promise<void> {
  if (reads.length === 0) return;
  const ids = sql`${reads.map(({ notificationId }) => notificationId)}::text[]`;
  await sql`with read as materialized (
      select n.audience, n.revision, s.user_id from unnest(${ids}, ${reads.map(({ user }) => user)}::bigint[]) as s (ext_id, user_id)
        join notification n on n.org_id = ${organization} and n.ext_id = s.ext_id and n.ext_id = any(${ids})
          and n.api_key_id = ${tenantId})
    update notification_recipient r set read_revision = d.revision from read d
    where r.audience_id = d.audience and r.user_id = d.user_id
      and r.audience_id = any(array(select audience from read))`.execute(tablesOf(em));
}
