import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { deleteNext } from '../delete-next.ts';
import { tablesOf } from '../tables.ts';
import { notificationRecordKind } from './notification.ts';

/** A notification that was locked, its former audience and the number of recipients. */
export interface Removable {
  readonly id: string;
  readonly audience: string;
  readonly recipient_count: number;
}

/** A notification and an audience, by surrogate keys. */
export type AudienceOf = Pick<Removable, 'id' | 'audience'>;

/** Max recipients, and max named users without an inbox entry, that one transaction of a call deletes. */
const maxRemovedRecipients = 10_000;

/** The same of a step of a job. */
const maxPerStep = 5_000;

/**
 * Deletes notifications, their name index rows and their named users, of whom each has up to 1,000: the caller bounds
 * their number. Recipient rows become invisible and are deleted separately.
 */
export async function removeNotifications(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`with removed as (
      delete from notification where id = any(${ids}::bigint[]) and api_key_id = ${tenantId} returning id, mentioned),
    named as (select r.id, u.user_id from removed r cross join lateral unnest(r.mentioned) as u (user_id))
    delete from record_user r using named n
    where r.user_id = n.user_id and r.kind = ${sql.lit(notificationRecordKind)} and r.record_id = n.id`.execute(
    tablesOf(em),
  );
}

/** Locked notifications of which a call could delete some. */
export interface DeletedWithinCall<Row> {
  readonly deleted: readonly Row[];
  /** Those with more named users than one call deletes. */
  readonly kept: readonly Row[];
  /** Audiences of deleted notifications that are too large for the call. */
  readonly audiences: readonly string[];
}

/** Deletes locked notifications with up to 10,000 named users and 10,000 recipients within a call. */
export async function deleteWithinCall<Row extends Removable>(
  em: EntityManager,
  tenantId: string,
  locked: readonly Row[],
): Promise<DeletedWithinCall<Row>> {
  const named = await deleteNextNamed(em, tenantId, idsOf(locked), maxRemovedRecipients);
  const full = named < maxRemovedRecipients ? new Set<string>() : await withNamed(em, idsOf(locked));
  const deleted = locked.filter(({ id }) => !full.has(id));
  await removeNotifications(em, tenantId, idsOf(deleted));
  const { audiences } = await deleteRecipients(em, tenantId, deleted);
  return { deleted, kept: locked.filter(({ id }) => full.has(id)), audiences };
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** Which of these notifications have named users without an inbox entry. */
async function withNamed(em: EntityManager, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await rowsOf(
    em,
    z.strictObject({ id: z.string() }),
    sql`select n.id from unnest(${ids}::bigint[]) as n (id)
      where exists (select from named_recipient r where r.notification_id = n.id offset 0)`,
  );
  return new Set(idsOf(found));
}

/** Deletes the next named users of locked notifications, in their order. Returns their number; see `deleteNext`. */
async function deleteNextNamed(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  limit: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  return deleteNext(
    em,
    sql`with next as materialized (
        select r.notification_id, r.user_id, r.audience_id from unnest(${ids}::bigint[]) as n (id)
          cross join lateral (
            select r.notification_id, r.user_id, r.audience_id from named_recipient r
            where r.notification_id = n.id and r.api_key_id = ${tenantId} limit ${sql.lit(limit)}) r
        limit ${sql.lit(limit)}),
      ${deletedNamed(ids)}`,
  );
}

/**
 * SQL: deletes the named users `next` of these notifications. Compares the audience again: a concurrent update may name
 * the user again, which moves the row to another audience.
 */
const deletedNamed = (ids: readonly string[]): RawBuilder<unknown> => sql`deleted_named as (
  delete from named_recipient r using next n
  where r.notification_id = n.notification_id and r.user_id = n.user_id and r.audience_id = n.audience_id
    and r.notification_id = any(${ids}::bigint[]))`;

/**
 * Deletes up to 5,000 recipients, or named users, of locked notifications in a step of a job. Returns their number; 0
 * when the notifications themselves can be deleted.
 */
export async function deleteNextDependents(
  em: EntityManager,
  tenantId: string,
  locked: readonly AudienceOf[],
): Promise<number> {
  const audiences = locked.map(({ audience }) => audience);
  const recipients = await deleteNextRecipients(em, tenantId, audiences);
  return recipients > 0 ? recipients : deleteNextNamed(em, tenantId, idsOf(locked), maxPerStep);
}

/** Rows of former audiences that a call leaves to a job. */
export interface FormerRows {
  readonly audiences: string[];
  /** Former audiences with remaining named users. */
  readonly named: readonly AudienceOf[];
}

/** Deletes recipient rows and named users of former audiences. Returns what exceeds `maxRemovedRecipients`, which a job deletes. */
export async function deleteRecipients(
  em: EntityManager,
  tenantId: string,
  earlier: readonly Removable[],
): Promise<FormerRows> {
  const now: string[] = [];
  const later: string[] = [];
  let recipients = 0;
  for (const { audience, recipient_count } of earlier) {
    recipients += recipient_count;
    (recipients <= maxRemovedRecipients ? now : later).push(audience);
  }
  if (earlier.length === 0) return { audiences: [], named: [] };
  const named = await deleteNext(
    em,
    sql`with ${formerNamed(tenantId, earlier, maxRemovedRecipients)},
      deleted as (
        delete from notification_recipient
        where audience_id = any(${now}::bigint[]) and api_key_id = ${tenantId})`,
  );
  const left = named < maxRemovedRecipients ? [] : earlier.map(({ id, audience }) => ({ id, audience }));
  return { audiences: later, named: left };
}

/** Deletes up to 5,000 named users of former audiences in a step of a job. Returns their number; see `deleteNext`. */
export async function deleteNextFormer(
  em: EntityManager,
  tenantId: string,
  former: readonly AudienceOf[],
): Promise<number> {
  if (former.length === 0) return 0;
  return deleteNext(em, sql`with ${formerNamed(tenantId, former, maxPerStep)}`);
}

/** SQL: deletes the next named users of former audiences, `next`. */
const formerNamed = (
  tenantId: string,
  former: readonly AudienceOf[],
  limit: number,
): RawBuilder<unknown> => sql`next as materialized (
    select r.notification_id, r.user_id, r.audience_id
    from unnest(${idsOf(former)}::bigint[], ${former.map(({ audience }) => audience)}::bigint[]) as f (id, audience)
      cross join lateral (
        select r.notification_id, r.user_id, r.audience_id from named_recipient r
        where r.notification_id = f.id and r.audience_id = f.audience and r.api_key_id = ${tenantId}
        limit ${sql.lit(limit)}) r
    limit ${sql.lit(limit)}),
  ${deletedNamed(idsOf(former))}`;

/**
 * Deletes up to 5,000 recipients of audiences. Returns their number, with those that a concurrent call deletes meanwhile,
 * because more may follow them; 0 at the end.
 */
export async function deleteNextRecipients(
  em: EntityManager,
  tenantId: string,
  audiences: readonly string[],
): Promise<number> {
  if (audiences.length === 0) return 0;
  return deleteNext(
    em,
    sql`with next as materialized (
        select r.audience_id, r.user_id from unnest(${audiences}::bigint[]) as a (id)
          cross join lateral (
            select r.audience_id, r.user_id from notification_recipient r
            where r.audience_id = a.id and r.api_key_id = ${tenantId} limit ${sql.lit(maxPerStep)}) r
        limit ${sql.lit(maxPerStep)}),
      deleted as (
        delete from notification_recipient r using next n
        where r.audience_id = n.audience_id and r.user_id = n.user_id and r.audience_id = any(${audiences}::bigint[]))`,
  );
}

/**
 * SQL: whether a notification `n` without inbox entries still has a recipient other than these users: one that it names,
 * or a member with a waiting e-mail or Slack message.
 */
export const reachesOthers = (users: readonly string[]): RawBuilder<unknown> => sql`(
  exists (
    select from named_recipient o where o.notification_id = n.id and o.audience_id = n.audience
      and o.user_id <> all(${users}::bigint[]) offset 0)
  or exists (
    select from notice o where o.notification_id = n.id and o.audience = n.audience and not o.in_inbox
      and o.user_id <> all(${users}::bigint[]) offset 0))`;

/**
 * Removes locked notifications from one recipient, and deletes those without recipients. The only way to remove single
 * recipients: it keeps `recipient_count` correct. Clears the hashes, so that an equal request reaches the recipient again.
 */
export async function removeFromRecipient(
  em: EntityManager,
  tenantId: string,
  user: string,
  audiences: readonly string[],
): Promise<void> {
  const left = await rowsOf(
    em,
    LeftRow,
    sql`with taken as (
        delete from notification_recipient
        where user_id = ${user} and audience_id = any(${audiences}::bigint[]) and api_key_id = ${tenantId} returning audience_id)
      update notification n set recipient_count = n.recipient_count - 1, content_hash = null,
        canonical_hash = null
      from taken t
      where n.audience = t.audience_id and n.audience = any(${audiences}::bigint[]) and n.api_key_id = ${tenantId}
      returning n.id, n.recipient_count <= 0 and not ${reachesOthers([user])} as is_empty`,
  );
  const empty = left.filter(({ is_empty }) => is_empty).map(({ id }) => id);
  await removeNotifications(em, tenantId, empty);
}

const LeftRow = z.strictObject({ id: z.string(), is_empty: z.boolean() });
