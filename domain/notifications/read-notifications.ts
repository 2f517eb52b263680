import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { startOf } from '../bigint-range.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { NotificationBody } from './notification.entity.ts';
import { maxRendered } from './read-recipients.ts';

/** Conditions joined by AND. `document` and `user`, the recipient, are surrogate keys. */
export interface NotificationFilter {
  readonly document?: string | undefined;
  readonly location?: string | undefined;
  readonly user?: string | undefined;
  readonly notificationIds?: readonly string[] | undefined;
}

export const NotificationRow = z.strictObject({
  id: z.string(),
  /** Orders rows of equal time: the surrogate key, or the audience when read by recipient. */
  record_id: z.string(),
  ext_id: z.string(),
  ts: z.string(),
  body: z.custom<NotificationBody>(),
  document_ext_id: z.string(),
  recipient_count: z.number(),
  /** Whether the filtered recipient has not read it; null without that filter. */
  unread: z.boolean().nullable(),
});
export type NotificationRow = z.infer<typeof NotificationRow>;

/** A position in the order of time and surrogate key. */
export interface NotificationPosition {
  readonly ts: string;
  readonly id: string;
}

export interface NotificationPage {
  readonly notifications: NotificationRow[];
  /** The next page starts after it; undefined at the end. */
  readonly next: NotificationPosition | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

export type NotificationOrder = 'asc' | 'desc';

/** Max recipients that one page renders. */
export const maxReadRecipients = 20_000;

/** Reads a page by timestamp, then by surrogate key. */
export async function readNotifications(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  filter: NotificationFilter,
  paging: Paging,
): Promise<NotificationPage> {
  const { after, limit } = paging;
  const found = await rowsWithin(em, FoundRow, (sizing) =>
    statement(tenant, organization, filter, paging, sizing),
  );
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter((row): row is FoundRow & NotificationRow => row.matches);
  const notifications = withinRecipients(matching.slice(0, limit.rows));
  if (cut) return { notifications, next: positionOf(notifications.at(-1)) ?? after, cut };
  // The last examined row is returned even without a match: it is the next position.
  const more = matching.length > notifications.length;
  const boundary = more ? notifications.at(-1) : found.find(({ last }) => last);
  return { notifications, next: positionOf(boundary), cut };
}

const FoundRow = NotificationRow.extend(BoundedRow.shape).extend({
  matches: z.boolean(),
  last: z.boolean(),
  // Null when the notification or its document is deleted; then `matches` is false.
  id: z.string().nullable(),
  ext_id: z.string().nullable(),
  document_ext_id: z.string().nullable(),
  recipient_count: z.number().nullable(),
});
type FoundRow = z.infer<typeof FoundRow>;

interface Paging {
  readonly after: NotificationPosition | undefined;
  readonly limit: PageLimit;
  readonly order: NotificationOrder;
}

/** The position of a notification. */
export const positionOf = (
  row: Pick<NotificationRow, 'ts' | 'record_id'> | undefined,
): NotificationPosition | undefined => row && { ts: row.ts, id: row.record_id };

function withinRecipients(page: NotificationRow[]): NotificationRow[] {
  let recipients = 0;
  const end = page.findIndex(({ recipient_count }) => {
    recipients += Math.min(recipient_count, maxRendered);
    return recipients > maxReadRecipients;
  });
  return end > 0 ? page.slice(0, end) : page;
}

/**
 * The table to scan and the condition that selects its index. Only columns of that index appear: with others PostgreSQL could
 * search a rare location in every notification of the user.
 */
function scanOf(
  organization: ResolvedOrganization,
  { document, location, user, notificationIds }: NotificationFilter,
): { readonly from: 'notification' | 'notification_recipient'; readonly at: RawBuilder<unknown> } {
  const within = sql`w.org_id = ${organization.id}`;
  const inDocument = sql`w.document_id = ${document}::bigint`;
  if (notificationIds !== undefined) {
    const own =
      user === undefined
        ? sql``
        : sql`and exists (select from notification_recipient r where r.audience_id = w.audience and r.user_id = ${user}::bigint)`;
    return { from: 'notification', at: sql`${within} and w.ext_id = any(${notificationIds}::text[]) ${own}` };
  }
  if (user !== undefined) {
    const person = sql`w.user_id = ${user}::bigint`;
    const from = 'notification_recipient';
    if (document !== undefined) return { from, at: sql`${person} and ${inDocument}` };
    if (location !== undefined)
      return { from, at: sql`${person} and ${within} and w.location_id = ${location}::text` };
    return { from, at: sql`${person} and ${within}` };
  }
  if (location !== undefined)
    return { from: 'notification', at: sql`${inDocument} and w.location_id = ${location}::text` };
  return { from: 'notification', at: inDocument };
}

/** `offset 0` keeps one index lookup per row in generic plans too. */
function statement(
  tenant: Tenant,
  organization: ResolvedOrganization,
  filter: NotificationFilter,
  { after, limit, order }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const { document = null, location = null, notificationIds = null, user } = filter;
  const residual = notificationIds !== null || (document !== null && user !== undefined && location !== null);
  const examined = residual ? maxExamined : limit.rows + 1;
  const start = after ?? startOf(order);
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  const way = sql.raw(order);
  const { from, at } = scanOf(organization, filter);
  const [id, joined] =
    from === 'notification_recipient' ? [sql`w.audience_id`, sql`n.audience`] : [sql`w.id`, sql`n.id`];
  const unread =
    user === undefined
      ? sql`null::boolean`
      : sql`(select r.read_revision <> n.revision from notification_recipient r
          where r.audience_id = n.audience and r.user_id = ${user}::bigint)`;
  return sql`
    with examined as (
      select ${id} as record_id, w.ts, row_number() over (order by w.ts ${way}, ${id} ${way}) as nth from ${sql.table(from)} w
      where ${at} and (w.ts, ${id}) ${beyond} (${start.ts}::bigint, ${start.id}::bigint)
      order by w.ts ${way}, ${id} ${way} limit ${examined}),
    judged as (
      select e.record_id, e.ts, e.nth as examined_as, e.nth = ${examined} as last, n.id, n.ext_id, n.body, n.recipient_count,
        d.ext_id as document_ext_id, ${unread} as unread,
        n.id is not null and n.org_id = ${organization.id} and d.deleted_at is null and ${isVisible}
        and (${document}::bigint is null or n.document_id = ${document}) and (${location}::text is null or n.location_id = ${location})
        and (${notificationIds}::text[] is null or n.ext_id = any(${notificationIds})) as matches
      from examined e
      left join lateral (select n.* from notification n where ${joined} = e.record_id and n.api_key_id = ${tenant.id} offset 0) n on true
      left join lateral (select d.* from document d where d.id = n.document_id offset 0) d on true),
    page as (
      select record_id, ts, examined_as, last, id, ext_id, case when matches then body end as body, recipient_count, document_ext_id,
        unread, matches
      from judged where matches or last order by ts ${way}, record_id ${way} limit ${limit.rows + 1}),
    ${withinBytes(sizing, {
      from: 'page',
      order: sql`s.examined_as`,
      content: 'body',
      type: 'json',
      beside: sql`2 * (coalesce(octet_length(ext_id), 0) + coalesce(octet_length(document_ext_id), 0))`,
      limit,
    })}
    select record_id, ts, last, id, ext_id, case when fits then body end as body, recipient_count, document_ext_id, unread, matches,
      fits, candidates
    from within order by nth`;
}
