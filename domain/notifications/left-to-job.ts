import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { isInOpenRemoval, openRemovals } from '../jobs/open-removals.ts';

/** An overwrite of a locked notification. Surrogate keys, and the new location. */
export interface NotificationOverwrite {
  readonly id: string;
  readonly organization: string;
  readonly document: string;
  readonly location: string | null;
}

/** SQL: the notifications that a selection names by surrogate key. */
const named = sql`array(select i.id::bigint from json_array_elements_text(o.selection -> 'ids') as i (id))`;

const columns = sql`
  (o.selection -> 'rest' ->> 'upTo')::bigint as up_to, (o.selection -> 'rest' ->> 'document')::bigint as document_id,
  o.selection -> 'rest' ->> 'location' as location_id, (o.selection -> 'rest' ->> 'user')::bigint as user_id,
  ${named} as ids`;

/**
 * SQL: whether a job is still to delete a notification `n` of an organization. `users`: condition under which the jobs
 * that only take it from a present recipient count as well.
 */
export const isNotificationLeftToJob = (
  organization: string,
  users: RawBuilder<unknown>,
): RawBuilder<boolean> =>
  isInOpenRemoval(
    'notifications',
    organization,
    columns,
    sql`n.id = any(m.ids) or m.up_to >= n.id and (m.document_id is null or m.document_id = n.document_id)
      and (m.location_id is null or m.location_id = n.location_id)
      and (m.user_id is null or ${users} and exists (
        select from notification_recipient r where r.audience_id = n.audience and r.user_id = m.user_id))`,
  );

/**
 * SQL: whether the annotation or the comment of a notification `n` is deleted. Its deletion has left the notification
 * to a job. `offset 0` keeps each lookup on the primary key.
 */
export const isOfDeletedSubject = sql<boolean>`(
  n.thread_id is not null and not exists (select from thread t where t.id = n.thread_id offset 0)
  or n.comment_id is not null and not exists (select from comment c where c.id = n.comment_id offset 0))`;

const LeftRow = z.strictObject({ deleted: z.boolean().nullable() });

/**
 * Whether a job is still to remove a notification: `deleted`, or `reached` when the job would only take it from one
 * recipient, or would find it only at its new location. Undefined when no job would.
 */
export async function leftToJob(
  em: EntityManager,
  { id, organization, document, location }: NotificationOverwrite,
): Promise<'deleted' | 'reached' | undefined> {
  const { deleted } = await onlyRowOf(
    em,
    LeftRow,
    // `is true`: without a stored location the comparison is null, and a null result means that no job matches.
    sql`select bool_or((r.is_named or r.rest ->> 'user' is null and (m.document_id is null or m.document_id = n.document_id)
          and (m.location_id is null or m.location_id = n.location_id)) is true) as deleted
      from (${openRemovals('notifications', sql`${[organization]}::bigint[]`)}) o
        cross join lateral (select o.selection -> 'rest' as rest, ${id}::bigint = any(${named}) as is_named) r
        cross join lateral (select (r.rest ->> 'document')::bigint as document_id, r.rest ->> 'location' as location_id) m
        cross join lateral (select * from notification n where n.id = ${id} limit 1) n
      where r.is_named or (r.rest ->> 'upTo')::bigint >= n.id
        and (m.document_id is null or m.document_id in (n.document_id, ${document}))
        and (m.location_id is null or m.location_id in (n.location_id, ${location}))`,
  );
  if (deleted === null) return undefined;
  return deleted ? 'deleted' : 'reached';
}
