import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { channelNumbers } from '../notices/channels.ts';
import { noticeStates } from '../notices/statuses.ts';
import {
  BatchingRow,
  maxItems,
  wholeOrganization,
  type Closing,
  type Taken,
  type Window,
} from './windows.ts';
import type { Lane } from './write-deliveries.ts';

const DueRow = z.strictObject({
  user: z.string(),
  organization: z.string(),
  document: z.string(),
  closes_at: z.string(),
});
type DueWindow = Readonly<z.infer<typeof DueRow>>;

/** Max windows that one transaction closes. */
export const maxWindows = 50;

/**
 * Locks the first `maxWindows` due windows, and the user windows of their readers, in key order. Returns the first of them
 * that are due.
 */
export async function lockDueWindows(
  em: EntityManager,
  { tenantId, channel }: Lane,
  now: RawBuilder<Date>,
): Promise<DueWindow[]> {
  return rowsOf(
    em,
    DueRow,
    sql`with due as materialized (
        select user_id, org_id, document_id from notice_window
        where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])} and closes_at <= ${now}
        order by closes_at limit ${sql.lit(maxWindows)}),
      keys as materialized (
        select user_id, org_id, document_id from due
        union select user_id, org_id, ${sql.lit(wholeOrganization)}::bigint from due),
      locked as materialized (
        select w.user_id, w.org_id, w.document_id, w.closes_at from notice_window w
        where w.channel = ${sql.lit(channelNumbers[channel])} and (w.user_id, w.org_id, w.document_id) in (select * from keys)
        order by w.user_id, w.org_id, w.document_id for update)
      select user_id as "user", org_id as organization, document_id as document, closes_at::text from locked
      where closes_at <= ${now} order by closes_at, user_id, org_id, document_id limit ${sql.lit(maxWindows)}`,
  );
}

const WaitingRow = z.strictObject({ ...BatchingRow.shape, nth: z.number() });
type Waiting = Readonly<z.infer<typeof WaitingRow>>;

/** Reads the first `maxItems` notices of each window and one more, oldest first. `nth`: the window, from 1. */
export async function waitingIn(
  em: EntityManager,
  { tenantId, channel }: Lane,
  windows: readonly Window[],
): Promise<Waiting[]> {
  const first = (inWindow: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
    select id, user_id, org_id, document_id, due_at from notice
    where user_id = w.user_id and org_id = w.org_id and channel = ${sql.lit(channelNumbers[channel])} and ${inWindow}
      and state = ${sql.lit(noticeStates.batching)} and api_key_id = ${tenantId}
    order by due_at, id limit ${sql.lit(maxItems + 1)})`;
  return rowsOf(
    em,
    WaitingRow,
    sql`select n.id, n.user_id as "user", n.org_id as organization, n.document_id as document, w.nth::int as nth
      from unnest(${windows.map(({ user }) => user)}::bigint[], ${windows.map(({ organization }) => organization)}::bigint[],
          ${windows.map(({ document }) => document)}::bigint[]) with ordinality as w (user_id, org_id, document_id, nth)
      cross join lateral (
        ${first(sql`document_id = w.document_id`)}
        union all ${first(sql`w.document_id = ${sql.lit(wholeOrganization)}::bigint`)}) n
      order by n.due_at, n.id`,
  );
}

/**
 * Assigns waiting notices to due windows, in order. A window with more than `maxItems` notices stays open: the next call
 * closes it.
 */
export function closeWindows(due: readonly DueWindow[], waiting: readonly Waiting[]): Closing {
  const byWindow = Map.groupBy(waiting, ({ nth }) => nth);
  const given = new Set<string>();
  const taken: Taken[] = [];
  const ended: Window[] = [];
  for (const [at, window] of due.entries()) {
    const inWindow = byWindow.get(at + 1) ?? [];
    const first = inWindow.filter(({ id }) => !given.has(id)).slice(0, maxItems);
    for (const { id } of first) given.add(id);
    if (first.length > 0) taken.push({ notices: first, closesAt: window.closes_at });
    if (inWindow.length <= maxItems) ended.push(window);
  }
  return { taken, ended };
}
