import { rows, row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { indexRecords } from '../users/name-index.ts';
import type { Choice } from './choose-recipients.ts';
import { locationOf, notificationRecordKind, sourceNumber, type NotificationBody } from './notification.ts';

/** A notification that is not there yet. Surrogate keys. */
export interface NewNotification {
  readonly notificationId: string;
  readonly document: string;
  readonly actor: string;
  readonly mentioned: readonly string[];
  /** Milliseconds. */
  readonly at: number;
  readonly hash: Buffer;
  readonly body: NotificationBody;
  /** Other keys of its free members, for the index of names. */
  readonly names: readonly string[];
}

/** Writes a notification that has no recipients as yet; answers its surrogate key. */
export async function insertNotification(
  em: EntityManager,
  tenantId: string,
  organization: string,
  { notificationId, document, actor, mentioned, at, hash, body, names }: NewNotification,
): Promise<string> {
  const written = await row<{ id: string }>(
    em,
    `with written as (
       insert into notification (api_key_id, org_id, document_id, ext_id, location_id, source, actor_id, ts, mentioned, content_hash, body)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9::bigint[], $10, $11) returning id),
     named as (
       insert into record_user (user_id, kind, record_id, api_key_id, org_id)
       select u.id, ${String(notificationRecordKind)}, w.id, $1, $2 from written w cross join unnest($9::bigint[]) as u (id)
       on conflict do nothing)
     select id from written`,
    [
      tenantId,
      organization,
      document,
      notificationId,
      locationOf(body),
      sourceNumber(body.notificationSource),
      actor,
      at,
      mentioned,
      hash,
      JSON.stringify(body),
    ],
  );
  if (written === undefined) throw new Error('The notification was not written.');
  await indexRecords(em, { id: tenantId }, 'notification', [{ id: written.id, names }]);
  return written.id;
}

/** A locked notification, and those who are to get it from now on. */
export interface NewAudience {
  readonly id: string;
  readonly recipients: readonly Choice[];
}

/**
 * Gives notifications new recipients: one statement for all of them. Who had a notification before, and has read it, has
 * read it still. Rows of the earlier audience stay where they are, seen by nobody; the caller clears them. Answers the
 * new audiences, in the order of the notifications.
 */
export async function giveRecipients(
  em: EntityManager,
  tenantId: string,
  sent: readonly NewAudience[],
): Promise<string[]> {
  if (sent.length === 0) return [];
  const told = sent.flatMap(({ recipients }, place) =>
    recipients.map((choice) => ({ ...choice.candidate, nth: place + 1 })),
  );
  const given = await rows<{ audience: string }>(em, giving, [
    tenantId,
    sent.map(({ id }) => id),
    sent.map(({ recipients }) => recipients.length),
    told.map(({ nth }) => nth),
    told.map(({ user }) => user),
    told.map(({ email }) => email),
  ]);
  return given.map(({ audience }) => audience);
}

const giving = `
  with sent as (
    select * from unnest($2::bigint[], $3::int[]) with ordinality as t (id, recipient_count, nth)),
  earlier as (
    select n.id, n.audience from sent s join notification n on n.id = s.id and n.id = any($2::bigint[]) and n.api_key_id = $1),
  given as (
    update notification n set audience = nextval('notification_audience_seq'), recipient_count = s.recipient_count
    from sent s where n.id = s.id and n.id = any($2::bigint[]) and n.api_key_id = $1
    returning n.id, n.audience, n.org_id, n.document_id, n.location_id, n.ts),
  told as (
    insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts, read_revision, email)
    select p.user_id, g.audience, $1, g.org_id, g.document_id, g.location_id, g.ts,
      coalesce((select o.read_revision from notification_recipient o
        where o.audience_id = e.audience and o.user_id = p.user_id and o.api_key_id = $1), 0), p.email
    from unnest($4::bigint[], $5::bigint[], $6::text[]) as p (nth, user_id, email)
      join sent s on s.nth = p.nth join given g on g.id = s.id join earlier e on e.id = s.id)
  select g.audience from given g join sent s on s.id = g.id order by s.nth`;
