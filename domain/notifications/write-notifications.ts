import { sql } from 'kysely';
import { z } from 'zod';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { required } from '../../platform/process/required.ts';
import { countUsage } from '../tenancy/usage.ts';
import { indexRecords } from '../users/name-index.ts';
import type { Choice } from './choose-recipients.ts';
import { writeNamedRecipients } from './named-recipients.ts';
import { sourceNumbers } from './notification.entity.ts';
import { locationOf, notificationRecordKind } from './notification.ts';
import type { NotificationBody } from './notification.entity.ts';
import type { RequestHashes } from './request-hashes.ts';

/** A notification to insert. Surrogate keys. `thread` and `comment`: its subject, whose deletion deletes it. */
export interface NewNotification {
  readonly thread?: string | undefined;
  readonly comment?: string | undefined;
  readonly notificationId: string;
  readonly document: string;
  readonly actor: string;
  readonly mentioned: readonly string[];
  /** Milliseconds. */
  readonly at: number;
  /** Null when no request can equal it. */
  readonly hashes: RequestHashes | null;
  readonly body: NotificationBody;
  /** Other keys of its free members, for the name index. */
  readonly names: readonly string[];
}

const WrittenRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/** Inserts notifications without recipients, in one statement. Returns their surrogate keys, in order. */
export async function insertNotifications(
  em: EntityManager,
  tenantId: string,
  organization: string,
  notifications: readonly NewNotification[],
): Promise<string[]> {
  if (notifications.length === 0) return [];
  const bodies = await jsonList(notifications.map(({ body }) => JSON.stringify(body)));
  const written = await rowsOf(
    em,
    WrittenRow,
    sql`with written as (
        insert into notification (api_key_id, org_id, document_id, ext_id, location_id, source, actor_id, ts, thread_id, comment_id,
          mentioned, content_hash, canonical_hash, body)
        select ${tenantId}, ${organization}, document_id, ext_id, location_id, source, actor_id, ts, thread_id, comment_id,
          mentioned::bigint[], hash, canonical, body
        from rows from (
            unnest(${notifications.map(({ document }) => document)}::bigint[],
              ${notifications.map(({ notificationId }) => notificationId)}::text[],
              ${notifications.map(({ body }) => locationOf(body))}::text[],
              ${notifications.map(({ body }) => sourceNumbers[body.notificationSource])}::smallint[],
              ${notifications.map(({ actor }) => actor)}::bigint[], ${notifications.map(({ at }) => at)}::bigint[],
              ${notifications.map(({ thread }) => thread ?? null)}::bigint[],
              ${notifications.map(({ comment }) => comment ?? null)}::bigint[],
              ${notifications.map(({ mentioned }) => keysLiteral(mentioned))}::text[],
              ${notifications.map(({ hashes }) => hashes?.content ?? null)}::bytea[],
              ${notifications.map(({ hashes }) => hashes?.canonical ?? null)}::bytea[]),
            json_array_elements(${bodies}::json))
          as t (document_id, ext_id, location_id, source, actor_id, ts, thread_id, comment_id, mentioned, hash, canonical, body)
        order by ext_id collate "C" returning id, ext_id, mentioned),
      named as (
        insert into record_user (user_id, kind, record_id, api_key_id, org_id)
        select u.id, ${sql.lit(notificationRecordKind)}, w.id, ${tenantId}, ${organization}
        from written w cross join lateral unnest(w.mentioned) as u (id)
        on conflict do nothing)
      select id, ext_id from written`,
  );
  const keys = new Map(written.map(({ id, ext_id }) => [ext_id, id]));
  const ids = notifications.map(({ notificationId }) =>
    required(keys.get(notificationId), 'row of inserted notification'),
  );
  countUsage(em, tenantId, 'notifications', ids.length);
  const named = notifications.map(({ notificationId, names }) => ({
    id: required(keys.get(notificationId), 'row of inserted notification'),
    names,
  }));
  await indexRecords(em, { id: tenantId }, 'notification', named);
  return ids;
}

/** A locked notification, and its candidates: those who are notified become its recipients. */
export interface NewAudience {
  readonly id: string;
  readonly choices: readonly Choice[];
  /** How the call chose the recipients; undefined for a notification about a comment. */
  readonly request?: { readonly toMembers: boolean; readonly verify: boolean };
}

/**
 * Replaces the recipients of notifications and returns the new audiences, in order: one statement, plus one when a named
 * user has no inbox entry. Keeps read marks of recipients that stay. The caller deletes the rows of former audiences,
 * which are already invisible.
 */
export async function assignRecipients(
  em: EntityManager,
  tenantId: string,
  sent: readonly NewAudience[],
): Promise<string[]> {
  if (sent.length === 0) return [];
  const recipients = sent.map(({ choices }) => choices.filter(({ notified }) => notified));
  const rows = recipients.flatMap((some, index) =>
    some.map(({ candidate }) => ({ ...candidate, nth: index + 1 })),
  );
  const ids = sql`${sent.map(({ id }) => id)}::bigint[]`;
  const assigned = await rowsOf(
    em,
    AssignedRow,
    sql`with sent as (
        select t.*, nextval('notification_audience_seq') as audience
        from unnest(${ids}, ${recipients.map((some) => some.length)}::int[], ${sent.map(({ request }) => request?.toMembers ?? null)}::boolean[],
            ${sent.map(({ request }) => request?.verify ?? null)}::boolean[])
          with ordinality as t (id, recipient_count, to_members, verify, nth)),
      earlier as (
        select n.id, n.audience from sent s
        join notification n on n.id = s.id and n.id = any(${ids}) and n.api_key_id = ${tenantId}),
      given as (
        update notification n set audience = s.audience, recipient_count = s.recipient_count, asked_audience = s.audience,
          to_members = s.to_members, verify = s.verify
        from sent s where n.id = s.id and n.id = any(${ids}) and n.api_key_id = ${tenantId}
        returning n.id, n.audience, n.org_id, n.document_id, n.location_id, n.ts),
      notified as (
        insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts, read_revision, email)
        select p.user_id, g.audience, ${tenantId}, g.org_id, g.document_id, g.location_id, g.ts,
          coalesce((select o.read_revision from notification_recipient o
            where o.audience_id = e.audience and o.user_id = p.user_id and o.api_key_id = ${tenantId}), 0), p.email
        from unnest(${rows.map(({ nth }) => nth)}::bigint[], ${rows.map(({ user }) => user)}::bigint[],
            ${rows.map(({ email }) => email)}::text[]) as p (nth, user_id, email)
          join sent s on s.nth = p.nth join given g on g.id = s.id join earlier e on e.id = s.id)
      select g.audience from given g join sent s on s.id = g.id order by s.nth`,
  );
  const audiences = assigned.map(({ audience }) => audience);
  await writeNamedRecipients(
    em,
    tenantId,
    sent.map(({ id, choices }, at) => ({
      id,
      audience: required(audiences[at], 'audience of a notification'),
      choices,
    })),
  );
  return audiences;
}

const AssignedRow = z.strictObject({ audience: z.string() });
