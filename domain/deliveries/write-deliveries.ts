import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { timedToken } from '../../platform/encryption/tokens.ts';
import { channelNumbers, type SentChannel } from '../notices/channels.ts';
import {
  finalStatuses,
  noticeStates,
  reasonNumbers,
  type FinalStatus,
  type StatusReason,
} from '../notices/statuses.ts';
import { tablesOf } from '../tables.ts';

/** A new delivery of notices to one user in one organization, by surrogate keys, oldest first. */
export interface NewDelivery {
  readonly organization: string;
  readonly user: string;
  readonly notices: readonly string[];
  /** The delivery that the notices leave; undefined when they have none. */
  readonly former?: string;
  /** Time at which the window of the notices was due, in PostgreSQL's text; null or undefined: none was, or it was full. */
  readonly closesAt?: string | null;
}

/** The delivery of notices to one recipient, oldest first; none without notices. */
export function deliveryOf(
  notices: readonly (Omit<NewDelivery, 'notices'> & { readonly id: string })[],
): NewDelivery[] {
  const [first] = notices;
  if (first === undefined) return [];
  const { organization, user } = first;
  return [{ organization, user, notices: notices.map(({ id }) => id) }];
}

/** A notice that ends without a message. It is logged as a delivery. */
export interface EndedNotice {
  readonly id: string;
  readonly status: FinalStatus;
  readonly reason: StatusReason;
}

/** The key and the channel of the written rows. */
export interface Lane {
  readonly tenantId: string;
  readonly channel: SentChannel;
}

/**
 * Creates deliveries that are due at once and assigns their notices, in one statement. Notices that are no longer in their
 * `former` delivery stay where they are. Notices of a window become ready when it was due, those that joined it later at
 * their own time, and those of a window that is full now.
 */
export async function createDeliveries(
  em: EntityManager,
  { tenantId, channel }: Lane,
  deliveries: readonly NewDelivery[],
  now: RawBuilder<Date>,
): Promise<void> {
  if (deliveries.length === 0) return;
  const pairs = deliveries.flatMap(({ notices }, at) => notices.map((notice) => ({ notice, nth: at + 1 })));
  await sql`with sent as (
      select nextval(pg_get_serial_sequence('outgoing', 'id')) as id, t.*
      from unnest(${deliveries.map(() => timedToken('dlv'))}::text[], ${deliveries.map(({ organization }) => organization)}::bigint[],
          ${deliveries.map(({ user }) => user)}::bigint[], ${deliveries.map(({ notices }) => notices.length > 1)}::boolean[],
          ${deliveries.map(({ former }) => former ?? null)}::bigint[], ${deliveries.map(({ closesAt }) => closesAt ?? null)}::timestamptz[])
        with ordinality as t (public_id, org_id, user_id, digest, former, closes_at, nth)),
    written as (
      insert into outgoing (id, public_id, api_key_id, org_id, user_id, channel, digest, next_at) overriding system value
      select id, public_id, ${tenantId}, org_id, user_id, ${sql.lit(channelNumbers[channel])}, digest, least(${now}, now()) from sent)
    update notice n set delivery_id = s.id, state = ${sql.lit(noticeStates.taken)},
      due_at = case when n.state = ${sql.lit(noticeStates.batching)} then least(greatest(n.due_at, coalesce(s.closes_at, ${now})), ${now}) else n.due_at end
    from unnest(${pairs.map(({ notice }) => notice)}::bigint[], ${pairs.map(({ nth }) => nth)}::bigint[]) as p (id, nth)
      join sent s on s.nth = p.nth
    where n.id = p.id and n.api_key_id = ${tenantId} and n.delivery_id is not distinct from s.former`.execute(
    tablesOf(em),
  );
}

/**
 * SQL: rows of the CTE `gone` whose organization is not deleted. The others are not logged: the deletion of their
 * organization may have removed its log already, and nothing would remove them. `offset 0`: one index lookup per row.
 */
export const loggable = sql`select g.* from gone g
  cross join lateral (select from organization where id = g.org_id and deleted_at is null offset 0) o`;

/** Moves notices without a delivery to the log, each as a delivery, in one statement. */
export async function endNotices(
  em: EntityManager,
  { tenantId, channel }: Lane,
  ended: readonly EndedNotice[],
): Promise<void> {
  if (ended.length === 0) return;
  await sql`with k as (
      select nextval(pg_get_serial_sequence('outgoing', 'id')) as delivery_id, t.*
      from unnest(${ended.map(({ id }) => id)}::bigint[], ${ended.map(({ status }) => finalStatuses[status])}::smallint[],
          ${ended.map(({ reason }) => reasonNumbers[reason])}::smallint[], ${ended.map(() => timedToken('dlv'))}::text[])
        as t (id, status, reason, public_id)),
    gone as (delete from notice n using k where n.id = k.id and n.api_key_id = ${tenantId} returning n.*),
    loggable as (${loggable}),
    logged as (
      insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, status, reason, digest, public_id, attempts, ended_at)
      select k.delivery_id, now(), ${tenantId}, g.org_id, g.user_id, ${sql.lit(channelNumbers[channel])}, k.status, k.reason, false,
        k.public_id, '[]', now()
      from k join loggable g on g.id = k.id)
    insert into delivery_item (at, delivery_id, notification_id, document_id)
    select now(), k.delivery_id, g.notification_id, g.document_id from k join loggable g on g.id = k.id`.execute(
    tablesOf(em),
  );
}

/** Deletes notices without a record. */
export async function removeNotices(
  em: EntityManager,
  { tenantId }: Lane,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from notice where id = any(${ids}::bigint[]) and api_key_id = ${tenantId}`.execute(
    tablesOf(em),
  );
}
