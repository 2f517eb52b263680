import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Choice } from './choose-recipients.ts';
import { locationOf, notificationRecordKind, sourceNumber, type NotificationBody } from './notification.ts';

/** A notification ready to be written. `document`, `actor`, `mentioned` and `replaces` are surrogate keys. */
export interface NewNotification {
  readonly notificationId: string;
  readonly document: string;
  readonly actor: string;
  readonly mentioned: readonly string[];
  /** Milliseconds. */
  readonly at: number;
  readonly revision: number;
  /** Null when another request would not say the same. */
  readonly hash: Buffer | null;
  readonly body: NotificationBody;
  /** Those who get it. */
  readonly recipients: readonly Choice[];
  /** The notification whose place it takes: what its recipients have read, stays read. */
  readonly replaces: string | null;
}

/** Writes all of them with their recipients in one statement; answers the surrogate keys by the customer's id. */
export async function writeNotifications(
  em: EntityManager,
  tenantId: string,
  organization: string,
  sent: readonly NewNotification[],
): Promise<ReadonlyMap<string, string>> {
  const told = sent.flatMap(({ recipients }, place) =>
    recipients.map((choice) => ({ ...choice.candidate, nth: place + 1 })),
  );
  const written = await rows<{ id: string; ext_id: string }>(em, statement, [
    tenantId,
    organization,
    sent.map(({ notificationId }) => notificationId),
    sent.map(({ document }) => document),
    sent.map(({ body }) => locationOf(body)),
    sent.map(({ body }) => sourceNumber(body.notificationSource)),
    sent.map(({ actor }) => actor),
    sent.map(({ at }) => at),
    sent.map(({ revision }) => revision),
    sent.map(({ recipients }) => recipients.length),
    sent.map(({ mentioned }) => `{${mentioned.join(',')}}`),
    sent.map(({ hash }) => hash),
    sent.map(({ body }) => JSON.stringify(body)),
    sent.map(({ replaces }) => replaces),
    told.map(({ nth }) => nth),
    told.map(({ user }) => user),
    told.map(({ email }) => email),
  ]);
  return new Map(written.map(({ id, ext_id }) => [ext_id, id]));
}

/** Rows go in the order of their ids, so two batches never wait for each other in a ring. */
const statement = `
  with sent as (
    select * from unnest($3::text[], $4::bigint[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[], $9::int[], $10::int[],
        $11::text[], $12::bytea[], $13::json[], $14::bigint[]) with ordinality
      as t (ext_id, document_id, location_id, source, actor_id, ts, revision, recipient_count, mentioned, hash, body, replaces, place)),
  written as (
    insert into notification (api_key_id, org_id, document_id, ext_id, location_id, source, actor_id, ts, revision, recipient_count,
      mentioned, content_hash, body)
    select $1, $2, document_id, ext_id, location_id, source, actor_id, ts, revision, recipient_count, mentioned::bigint[], hash, body
    from sent order by ext_id collate "C" returning id, ext_id, document_id, location_id, ts, mentioned),
  told as (
    insert into notification_recipient (user_id, notification_id, api_key_id, org_id, document_id, location_id, ts, read_revision, email)
    select p.user_id, w.id, $1, $2, w.document_id, w.location_id, w.ts,
      coalesce((select o.read_revision from notification_recipient o
        where o.notification_id = s.replaces and o.user_id = p.user_id and o.api_key_id = $1), 0), p.email
    from unnest($15::bigint[], $16::bigint[], $17::text[]) as p (place, user_id, email)
      join sent s on s.place = p.place join written w on w.ext_id = s.ext_id),
  named as (
    insert into record_user (user_id, kind, record_id, api_key_id, org_id)
    select u.id, ${String(notificationRecordKind)}, w.id, $1, $2 from written w cross join lateral unnest(w.mentioned) as u (id)
    on conflict do nothing)
  select id, ext_id from written`;
