import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { indexRecords } from '../users/name-index.ts';
import { locationOf, notificationRecordKind, sourceNumber, type NotificationBody } from './notification.ts';

/** A locked notification that says something else from now on. Surrogate keys. */
export interface RewrittenNotification {
  readonly id: string;
  readonly document: string;
  readonly body: NotificationBody;
  readonly actor: string;
  readonly mentioned: readonly string[];
  /** Other keys of its free members, for the index of names. */
  readonly names: readonly string[];
  readonly revision: number;
  /** Null when no request would say the same: the next to add it writes it anew. */
  readonly hash: Buffer | null;
  /** It keeps its recipients, and is about another location than before. */
  readonly relocated: boolean;
}

/** One statement for all of them, and one for recipients that follow to another location. */
export async function rewriteNotifications(
  em: EntityManager,
  tenantId: string,
  organization: string,
  sent: readonly RewrittenNotification[],
): Promise<void> {
  if (sent.length === 0) return;
  await rows(
    em,
    `with sent as (
       select * from unnest($3::bigint[], $4::json[], $5::text[], $6::smallint[], $7::bigint[], $8::text[], $9::int[], $10::bigint[], $11::bytea[])
         as t (id, body, location_id, source, actor_id, mentioned, revision, document_id, hash)),
     written as (
       update notification n set body = s.body, location_id = s.location_id, source = s.source, actor_id = s.actor_id,
         mentioned = s.mentioned::bigint[], revision = s.revision, document_id = s.document_id, content_hash = s.hash
       from sent s where n.id = s.id and n.id = any($3::bigint[]) and n.api_key_id = $1 returning n.id),
     earlier as (
       select n.id, u.user_id, u.user_id = any(s.mentioned::bigint[]) as still
       from sent s join notification n on n.id = s.id and n.id = any($3::bigint[]) cross join lateral unnest(n.mentioned) as u (user_id)),
     unnamed as (
       delete from record_user r using earlier e
       where r.user_id = e.user_id and r.kind = ${String(notificationRecordKind)} and r.record_id = e.id and not e.still)
     insert into record_user (user_id, kind, record_id, api_key_id, org_id)
     select u.id, ${String(notificationRecordKind)}, s.id, $1, $2 from sent s cross join lateral unnest(s.mentioned::bigint[]) as u (id)
     on conflict do nothing`,
    [
      tenantId,
      organization,
      sent.map(({ id }) => id),
      sent.map(({ body }) => JSON.stringify(body)),
      sent.map(({ body }) => locationOf(body)),
      sent.map(({ body }) => sourceNumber(body.notificationSource)),
      sent.map(({ actor }) => actor),
      sent.map(({ mentioned }) => `{${mentioned.join(',')}}`),
      sent.map(({ revision }) => revision),
      sent.map(({ document }) => document),
      sent.map(({ hash }) => hash),
    ],
  );
  await indexRecords(em, { id: tenantId }, 'notification', sent);
  const relocated = sent.filter((notification) => notification.relocated);
  if (relocated.length === 0) return;
  await rows(
    em,
    `with moved as materialized (
       select n.audience, s.location_id from unnest($2::bigint[], $3::text[]) as s (id, location_id)
         join notification n on n.id = s.id and n.id = any($2::bigint[]) and n.api_key_id = $1)
     update notification_recipient r set location_id = m.location_id from moved m
     where r.audience_id = m.audience and r.audience_id = any(array(select audience from moved)) and r.api_key_id = $1`,
    [tenantId, relocated.map(({ id }) => id), relocated.map(({ body }) => locationOf(body))],
  );
}

/** Marks notifications as read, as they are now, by those of the users who have them; the customer's ids of locked ones. */
export async function markRead(
  em: EntityManager,
  tenantId: string,
  organization: string,
  reads: readonly { readonly notificationId: string; readonly user: string }[],
): Promise<void> {
  if (reads.length === 0) return;
  await rows(
    em,
    `with read as materialized (
       select n.audience, n.revision, s.user_id from unnest($3::text[], $4::bigint[]) as s (ext_id, user_id)
         join notification n on n.org_id = $2 and n.ext_id = s.ext_id and n.ext_id = any($3::text[]) and n.api_key_id = $1)
     update notification_recipient r set read_revision = d.revision from read d
     where r.audience_id = d.audience and r.user_id = d.user_id and r.audience_id = any(array(select audience from read))`,
    [
      tenantId,
      organization,
      reads.map(({ notificationId }) => notificationId),
      reads.map(({ user }) => user),
    ],
  );
}
