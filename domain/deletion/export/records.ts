import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../../platform/database/within-bytes.ts';
import { readActivityLogs, type ActivityLogRow } from '../../activity-logs/read-activity-logs.ts';
import { executionOf, ExecutionRow, type Execution } from '../../agents/execution.ts';
import { executionColumns, executionLocation, visibleExecution } from '../../agents/visible-execution.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { NotificationRow, readNotifications } from '../../notifications/read-notifications.ts';
import { readAddresses } from '../../notifications/read-recipients.ts';
import { tablesOf } from '../../tables.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../../page-limit.ts';
import { sectionPage, type ExportedPerson, type Section } from './section.ts';

/** Activity logs that the person caused, of every feature. */
export const activities: Section<ActivityLogRow> = async (em, { organization, user }, { after, limit }) => {
  const [ts, id] = after ?? [];
  const page = await readActivityLogs(
    em,
    { id: organization },
    { user },
    { after: ts === undefined || id === undefined ? undefined : { ts, id }, limit, order: 'asc' },
  );
  return { rows: page.activityLogs, next: page.next && [page.next.ts, page.next.id], cut: page.cut };
};

/** A notification that the person received. */
export interface ReceivedNotification extends NotificationRow {
  /** The person's address as a recipient; empty without one. */
  readonly email: string;
}

/** Notifications that the person received. */
export const notifications: Section<ReceivedNotification> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const [ts, id] = after ?? [];
  const page = await readNotifications(
    em,
    tenant,
    { id: organization },
    { user },
    { after: ts === undefined || id === undefined ? undefined : { ts, id }, limit, order: 'asc' },
  );
  const audiences = page.notifications.map(({ record_id }) => record_id);
  const addresses = await readAddresses(em, tenant, user, audiences);
  const rows = page.notifications.map((row) => ({ ...row, email: addresses.get(row.record_id) ?? '' }));
  return { rows, next: page.next && [page.next.ts, page.next.id], cut: page.cut };
};

/** Notifications that the person caused. */
export const notificationsCaused: Section<NotificationRow> = async (em, person, { after, limit }) => {
  const found = await rowsWithin(em, CausedRow, (sizing) => caused(person, after?.[0] ?? '0', limit, sizing));
  const { fitting, cut } = withinLimit(found);
  const page = sectionPage(fitting, limit, ({ id }) => [id]);
  const last = fitting.at(-1);
  return cut ? { ...page, next: last === undefined ? after : [last.id], cut } : page;
};

const CausedRow = NotificationRow.extend(BoundedRow.shape);

const caused = (
  { tenant, organization, user }: ExportedPerson,
  after: string,
  limit: PageLimit,
  sizing: Sizing,
) => sql`
  with page as (
    select n.id, n.ext_id, n.ts, n.body, d.ext_id as document_ext_id, n.recipient_count
    from notification n cross join lateral (
      select d.ext_id from document d where d.id = n.document_id and d.deleted_at is null and ${isVisible} offset 0) d
    where n.actor_id = ${user} and n.org_id = ${organization} and n.id > ${after}::bigint and n.api_key_id = ${tenant.id}
    order by n.id limit ${limit.rows + 1}),
  ${withinBytes(sizing, {
    from: 'page',
    order: sql`s.id`,
    content: 'body',
    type: 'json',
    beside: sql`2 * (octet_length(ext_id) + octet_length(document_ext_id))`,
    limit,
  })}
  select id, id as record_id, ext_id, ts, case when fits then body end as body, document_ext_id, recipient_count,
    null::boolean as unread, fits, candidates
  from within order by nth`;

const StartedRow = ExecutionRow.extend({ visible: z.boolean() });

/** Agent executions that the person started. Includes those without an organization: no other request returns them. */
export const agentExecutions: Section<Execution> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const count = limit.rows + 1;
  const next = (condition: RawBuilder<unknown>) => sql`
    select e.* from agent_execution e
    where e.started_by = ${user} and ${condition} and e.id > ${after?.[0] ?? '0'}::bigint and e.api_key_id = ${tenant.id}
    order by e.id limit ${count}`;
  const found = await rowsOf(
    em,
    StartedRow,
    sql`select ${executionColumns}, ${visibleExecution} as visible from (
        (${next(sql`e.org_id = ${organization}`)}) union all (${next(sql`e.org_id is null`)}) order by id limit ${count}) e
      ${executionLocation} order by e.id`,
  );
  const { rows: page, next: end } = sectionPage(found, limit, ({ id }) => [id]);
  return { rows: page.filter(({ visible }) => visible).map(executionOf), next: end };
};

/** A collaborative record that the person updated last, without its content. */
export interface WrittenCrdtRecord {
  readonly id: string;
  readonly documentId: string;
  readonly lastUpdate: string;
  readonly sessionId: string | null;
}

/** Collaborative records that the person updated last. Their shared content is not exported. */
export const crdtRecords: Section<WrittenCrdtRecord> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await tablesOf(em)
    .selectFrom('crdt as c')
    .crossJoinLateral((row) =>
      row
        .selectFrom('document as d')
        .select('d.ext_id')
        .whereRef('d.id', '=', 'c.document_id')
        .where('d.deleted_at', 'is', null)
        .where(isVisible)
        .offset(sql.lit(0))
        .as('d'),
    )
    .select(['c.id as row', 'c.editor_id as id', 'd.ext_id as documentId', 'c.session_id as sessionId'])
    .select('c.last_update')
    .where('c.last_updated_by', '=', user)
    .where('c.org_id', '=', organization)
    .where('c.id', '>', after?.[0] ?? '0')
    .where('c.api_key_id', '=', tenant.id)
    .orderBy('c.id')
    .limit(limit.rows + 1)
    .$narrowType<{ documentId: string }>()
    .execute();
  const { rows: page, next } = sectionPage(found, limit, ({ row }) => [row]);
  return {
    rows: page.map(({ row: _row, last_update, ...record }) => ({
      ...record,
      lastUpdate: last_update.toISOString(),
    })),
    next,
  };
};
