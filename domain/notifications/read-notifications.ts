import { visibleDocument } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  rowsWithin,
  withinBytes,
  type BoundedRows,
  type Sizing,
} from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { NotificationBody } from './notification.ts';
import { mostRendered } from './read-recipients.ts';

/** Conditions, all of which hold. Document and user, the recipient, are surrogate keys. */
export interface NotificationFilter {
  readonly document?: string | undefined;
  readonly location?: string | undefined;
  readonly user?: string | undefined;
  readonly notificationIds?: readonly string[] | undefined;
}

export interface NotificationRow {
  readonly id: string;
  /** Where it stands among those of one time: a surrogate key, of the audience in what was read by recipient. */
  readonly place: string;
  readonly ext_id: string;
  readonly ts: string;
  readonly body: NotificationBody;
  readonly document_ext_id: string;
  readonly recipient_count: number;
  /** Whether the recipient asked about has not read it; null when none was asked about. */
  readonly unread: boolean | null;
}

/** A place in the order of time, then of the surrogate key. */
export interface NotificationPosition {
  readonly ts: string;
  readonly id: string;
}

export interface NotificationPage {
  readonly notifications: NotificationRow[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: NotificationPosition | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

export type Order = 'asc' | 'desc';

/** Most rows that one page looks at where a condition has no index of its own: it may be short, with more behind it. */
const mostExamined = 20_000;

/** Recipients that one page renders; it ends sooner when its notifications have more. */
export const mostRecipients = 20_000;

/** By timestamp, then by the order of writing. */
export async function readNotifications(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  filter: NotificationFilter,
  { after, limit, order }: { after: NotificationPosition | undefined; limit: PageLimit; order: Order },
): Promise<NotificationPage> {
  const { document, location, user, notificationIds } = filter;
  const residual =
    notificationIds !== undefined || (document !== undefined && user !== undefined && location !== undefined);
  const start = after ?? startOf(order);
  const found = await rowsWithin<FoundRow>(em, (sizing) => statement(filter, order, sizing), [
    organization.id,
    start.ts,
    start.id,
    residual ? mostExamined : limit.rows + 1,
    limit.rows + 1,
    document ?? null,
    location ?? null,
    notificationIds ?? null,
    tenant.id,
    limit.bytes,
    limit.aloneBytes,
    ...(user === undefined ? [] : [user]),
  ]);
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const notifications = withinRecipients(matching.slice(0, limit.rows));
  if (cut) return { notifications, next: positionOf(notifications.at(-1)) ?? after, cut };
  // The last row examined is answered even when it does not match: it says where to go on.
  const more = matching.length > notifications.length;
  const boundary = more ? notifications.at(-1) : found.find(({ last }) => last);
  return { notifications, next: positionOf(boundary), cut };
}

type FoundRow = NotificationRow & BoundedRow & { readonly matches: boolean; readonly last: boolean };

/** Where a page goes on behind a notification. */
export const positionOf = (row: NotificationRow | undefined): NotificationPosition | undefined =>
  row && { ts: row.ts, id: row.place };

function withinRecipients(page: NotificationRow[]): NotificationRow[] {
  let recipients = 0;
  const end = page.findIndex(({ recipient_count }) => {
    recipients += Math.min(recipient_count, mostRendered);
    return recipients > mostRecipients;
  });
  return end > 0 ? page.slice(0, end) : page;
}

function startOf(order: Order): NotificationPosition {
  return order === 'asc' ? { ts: '-1', id: '0' } : { ts: '9223372036854775807', id: '9223372036854775807' };
}

/**
 * A table to walk along, and the index that leads to the rows; columns are those of the walked table. Names none that the
 * index has not: by another index, a rare location would be looked for among everything that the person got.
 */
function walk({ document, location, user, notificationIds }: NotificationFilter): {
  readonly from: string;
  readonly at: string;
} {
  const notification = 'notification w';
  const recipient = 'notification_recipient w';
  if (notificationIds !== undefined) {
    const own =
      user === undefined
        ? ''
        : ` and exists (select from notification_recipient r where r.audience_id = w.audience and r.user_id = $12::bigint)`;
    return { from: notification, at: `w.org_id = $1 and w.ext_id = any($8::text[])${own}` };
  }
  if (user !== undefined) {
    const person = 'w.user_id = $12::bigint';
    if (document !== undefined) return { from: recipient, at: `${person} and w.document_id = $6::bigint` };
    if (location !== undefined)
      return { from: recipient, at: `${person} and w.org_id = $1 and w.location_id = $7::text` };
    return { from: recipient, at: `${person} and w.org_id = $1` };
  }
  if (location !== undefined)
    return {
      from: notification,
      at: 'w.document_id = $6::bigint and w.location_id = $7::text',
    };
  return { from: notification, at: 'w.document_id = $6::bigint' };
}

const bounded = {
  from: 'page',
  order: 's.examined_as',
  content: 'body',
  type: 'json',
  beside: '2 * (coalesce(octet_length(ext_id), 0) + coalesce(octet_length(document_ext_id), 0))',
  bytes: '$10::bigint',
  aloneBytes: '$11::bigint',
} as const satisfies BoundedRows;

/** `offset 0` keeps each look-up apart, by its index, whatever plan a connection has kept. */
function statement(filter: NotificationFilter, order: Order, sizing: Sizing): string {
  const beyond = order === 'asc' ? '>' : '<';
  const { from, at } = walk(filter);
  const [id, joined] = from.startsWith('notification_recipient')
    ? ['w.audience_id', 'audience']
    : ['w.id', 'id'];
  const unread =
    filter.user === undefined
      ? 'null::boolean'
      : `(select r.read_revision <> n.revision from notification_recipient r where r.audience_id = n.audience and r.user_id = $12::bigint)`;
  return `
    with examined as (
      select ${id} as place, w.ts, row_number() over (order by w.ts ${order}, ${id} ${order}) as nth from ${from}
      where ${at} and (w.ts, ${id}) ${beyond} ($2::bigint, $3::bigint)
      order by w.ts ${order}, ${id} ${order} limit $4),
    judged as (
      select e.place, e.ts, e.nth as examined_as, e.nth = $4 as last, n.id, n.ext_id, n.body, n.recipient_count, d.ext_id as document_ext_id, ${unread} as unread,
        n.id is not null and n.org_id = $1 and d.deleted_at is null and ${visibleDocument}
        and ($6::bigint is null or n.document_id = $6) and ($7::text is null or n.location_id = $7)
        and ($8::text[] is null or n.ext_id = any($8)) as matches
      from examined e
      left join lateral (select n.* from notification n where n.${joined} = e.place and n.api_key_id = $9 offset 0) n on true
      left join lateral (select d.* from document d where d.id = n.document_id offset 0) d on true),
    page as (
      select place, ts, examined_as, last, id, ext_id, case when matches then body end as body, recipient_count, document_ext_id,
        unread, matches
      from judged where matches or last order by ts ${order}, place ${order} limit $5),
    ${withinBytes(sizing, bounded)}
    select place, ts, last, id, ext_id, case when fits then body end as body, recipient_count, document_ext_id, unread, matches,
      fits, candidates
    from within order by nth`;
}
