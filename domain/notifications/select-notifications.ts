import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { maxBigint, minBigint } from '../bigint-range.ts';
import { isVisible } from '../documents/resolve-document.ts';

/**
 * Conditions joined by AND. `document` and `user` are surrogate keys. With `user`, only that recipient loses the
 * notifications.
 */
export interface NotificationSelection {
  readonly document?: string | null | undefined;
  readonly location?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly notificationIds?: readonly string[] | null | undefined;
}

/**
 * A position in the order of time, then surrogate key: of the notification, or with a user, of the audience. The requests
 * of jobs store it.
 */
export type NotificationCursor = readonly [ts: string, key: string];

const MatchingRow = z.strictObject({
  id: z.string(),
  audience: z.string(),
  ext_id: z.string(),
  recipient_count: z.number(),
  position: z.tuple([z.string(), z.string()]),
});
type MatchingRow = z.infer<typeof MatchingRow>;

interface Bounds {
  readonly limit: number;
  /** Null: from the start. */
  readonly after?: NotificationCursor | null | undefined;
  /** The last surrogate key examined. */
  readonly upTo?: string;
}

const first: NotificationCursor = [minBigint, minBigint];

/** Locks in the order of time, so that concurrent deletions do not deadlock. */
export async function lockMatching(
  em: EntityManager,
  tenantId: string,
  organization: string,
  selection: NotificationSelection,
  bounds: Bounds,
): Promise<MatchingRow[]> {
  return rowsOf(em, MatchingRow, matching(tenantId, organization, selection, bounds));
}

const HeldRow = z.strictObject({ id: z.string(), audience: z.string() });

/** Locks notifications by surrogate key in the same order. */
export async function lockById(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<z.infer<typeof HeldRow>[]> {
  return rowsOf(
    em,
    HeldRow,
    sql`select id, audience from notification where id = any(${ids}::bigint[]) and api_key_id = ${tenantId}
      order by ts, id for update`,
  );
}

/** Repeats the conditions on the scanned table without the `null` alternative, so that a generic plan uses the index. */
function matching(
  tenantId: string,
  organization: string,
  { document = null, location = null, user = null, notificationIds = null }: NotificationSelection,
  { limit, after, upTo = maxBigint }: Bounds,
): RawBuilder<unknown> {
  const [ts, key] = after ?? first;
  const columns = sql`n.id, n.audience, n.ext_id, n.recipient_count`;
  const all = sql`n.org_id = ${organization} and n.api_key_id = ${tenantId} and n.id <= ${upTo}
    and (${document}::bigint is null or n.document_id = ${document}) and (${location}::text is null or n.location_id = ${location})
    and (${notificationIds}::text[] is null or n.ext_id = any(${notificationIds}))
    and exists (select from document d where d.id = n.document_id and d.deleted_at is null and ${isVisible})`;
  if (user !== null && notificationIds === null) {
    // `+ 0`: with a location, its index is read, not that of the document.
    const at =
      location !== null
        ? sql`and r.location_id = ${location}::text and (${document}::bigint is null or r.document_id + 0 = ${document})`
        : document !== null
          ? sql`and r.document_id = ${document}::bigint`
          : sql``;
    return sql`select ${columns}, array[r.ts, r.audience_id]::text[] as position
      from notification_recipient r join notification n on n.audience = r.audience_id
      where r.user_id = ${user}::bigint and r.org_id = ${organization} ${at}
        and (r.ts, r.audience_id) > (${ts}::bigint, ${key}::bigint) and ${all}
      order by r.ts, r.audience_id limit ${limit} for update of n`;
  }
  const own =
    user === null
      ? sql``
      : sql`and exists (select from notification_recipient r where r.audience_id = n.audience and r.user_id = ${user}::bigint)`;
  const at =
    notificationIds !== null
      ? sql`n.ext_id = any(${notificationIds}::text[])`
      : location === null
        ? sql`n.document_id = ${document}::bigint`
        : sql`n.document_id = ${document}::bigint and n.location_id = ${location}::text`;
  return sql`select ${columns}, array[n.ts, n.id]::text[] as position from notification n
    where ${at} and (n.ts, n.id) > (${ts}::bigint, ${key}::bigint) and ${all} ${own}
    order by n.ts, n.id limit ${limit} for update`;
}
