import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { channelNumbers } from '../notices/channels.ts';
import type { PlanningSettings } from '../notices/planning-settings.ts';
import { noticeStates } from '../notices/statuses.ts';
import { tablesOf } from '../tables.ts';
import type { Lane } from './write-deliveries.ts';

type Windows = NonNullable<PlanningSettings['windows']>;

/** A notice that waits in windows. Surrogate keys. */
const BatchingRow = z.strictObject({
  id: z.string(),
  user: z.string(),
  organization: z.string(),
  document: z.string(),
});
export type Batching = Readonly<z.infer<typeof BatchingRow>>;

/** A window; `document` is `wholeOrganization` for the user window. */
export interface Window {
  readonly user: string;
  readonly organization: string;
  readonly document: string;
}

/** `document_id` of the window of all documents of an organization. */
const wholeOrganization = '0';

/** Max notices of one delivery. */
const maxItems = 50;

export const hasWindows = (windows: Windows | undefined): windows is Windows =>
  windows !== undefined && (windows.document.isEnabled || windows.user.isEnabled);

/** Result of closing windows. */
export interface Closing {
  /** The notices of each delivery, oldest first. */
  readonly taken: readonly (readonly Batching[])[];
  /** Windows without remaining notices, which are deleted. */
  readonly ended: readonly Window[];
}

/** Opens the windows of notices unless they are open, and locks them. */
export async function openWindows(
  em: EntityManager,
  { tenantId, channel }: Lane,
  now: RawBuilder<Date>,
  windows: Windows,
  arriving: readonly Batching[],
): Promise<void> {
  const opened = new Map(
    arriving
      .flatMap(({ user, organization, document }) => [
        ...(windows.document.isEnabled
          ? [{ user, organization, document, seconds: windows.document.batchWindowSeconds }]
          : []),
        ...(windows.user.isEnabled
          ? [{ user, organization, document: wholeOrganization, seconds: windows.user.batchWindowSeconds }]
          : []),
      ])
      .map((window) => [keyOf(window), window]),
  );
  const all = [...opened.values()];
  await sql`insert into notice_window (user_id, channel, org_id, document_id, api_key_id, closes_at)
    select w.user_id, ${sql.lit(channelNumbers[channel])}, w.org_id, w.document_id, ${tenantId}, ${now} + w.seconds * interval '1 second'
    from unnest(${all.map(({ user }) => user)}::bigint[], ${all.map(({ organization }) => organization)}::bigint[],
      ${all.map(({ document }) => document)}::bigint[], ${all.map(({ seconds }) => seconds)}::int[]) as w (user_id, org_id, document_id, seconds)
    order by w.user_id, w.org_id, w.document_id
    on conflict (user_id, channel, org_id, document_id) do update set closes_at = notice_window.closes_at`.execute(
    tablesOf(em),
  );
}

/** Reads the notices that wait in windows of the given users and organizations, oldest first. */
export async function batchingOf(
  em: EntityManager,
  { tenantId, channel }: Lane,
  readers: readonly { readonly user: string; readonly organization: string }[],
): Promise<Batching[]> {
  const pairs = [...new Map(readers.map((reader) => [readerOf(reader), reader])).values()];
  return rowsOf(
    em,
    BatchingRow,
    sql`select n.id, n.user_id as "user", n.org_id as organization, n.document_id as document
      from unnest(${pairs.map(({ user }) => user)}::bigint[], ${pairs.map(({ organization }) => organization)}::bigint[]) as k (user_id, org_id)
      cross join lateral (
        select id, user_id, org_id, document_id, due_at from notice
        where user_id = k.user_id and org_id = k.org_id and channel = ${sql.lit(channelNumbers[channel])}
          and state = ${sql.lit(noticeStates.batching)} and api_key_id = ${tenantId} offset 0) n
      order by n.due_at, n.id`,
  );
}

/**
 * Adds notices to the windows of their users one by one. A window with `maxActivities` notices closes at once. `left`:
 * surrogate keys of the notices that stay in a window.
 */
export function joinWindows(
  windows: Windows,
  waiting: readonly Batching[],
  arriving: readonly Batching[],
): Closing & { readonly left: ReadonlySet<string> } {
  const groups = new Map(Map.groupBy(waiting, readerOf));
  const taken: Batching[][] = [];
  const ended: Window[] = [];
  for (const notice of arriving) {
    const { user, organization, document } = notice;
    const group = [...(groups.get(readerOf(notice)) ?? []), notice];
    const inDocument = group.filter((one) => one.document === document);
    const full =
      windows.document.isEnabled && inDocument.length >= windows.document.maxActivities
        ? { document, notices: inDocument }
        : windows.user.isEnabled && group.length >= windows.user.maxActivities
          ? { document: wholeOrganization, notices: group }
          : undefined;
    const first = new Set(full?.notices.slice(0, maxItems));
    groups.set(
      readerOf(notice),
      group.filter((one) => !first.has(one)),
    );
    if (full === undefined) continue;
    taken.push([...first]);
    if (first.size === full.notices.length) ended.push({ user, organization, document: full.document });
  }
  return { taken, ended, left: new Set([...groups.values()].flat().map(({ id }) => id)) };
}

const readerOf = ({ user, organization }: Pick<Batching, 'user' | 'organization'>): string =>
  `${user} ${organization}`;

const WindowRow = z.strictObject({ user: z.string(), organization: z.string(), document: z.string() });

/** Max windows that one transaction closes. */
export const maxWindows = 50;

/**
 * Locks the due windows, and those of the same users in the same organizations, in key order. Returns the first
 * `maxWindows` of them that are due.
 */
export async function lockDueWindows(
  em: EntityManager,
  { tenantId, channel }: Lane,
  now: RawBuilder<Date>,
): Promise<Window[]> {
  return rowsOf(
    em,
    WindowRow,
    sql`with due as materialized (
        select distinct user_id, org_id from (
          select user_id, org_id from notice_window
          where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])} and closes_at <= ${now}
          order by closes_at limit ${sql.lit(maxWindows)}) w),
      locked as materialized (
        select w.user_id, w.org_id, w.document_id, w.closes_at from notice_window w
        where w.channel = ${sql.lit(channelNumbers[channel])} and (w.user_id, w.org_id) in (select user_id, org_id from due)
        order by w.user_id, w.org_id, w.document_id for update)
      select user_id as "user", org_id as organization, document_id as document from locked
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
export function closeWindows(due: readonly Window[], waiting: readonly Waiting[]): Closing {
  const byWindow = Map.groupBy(waiting, ({ nth }) => nth);
  const given = new Set<string>();
  const taken: Batching[][] = [];
  const ended: Window[] = [];
  for (const [at, window] of due.entries()) {
    const inWindow = byWindow.get(at + 1) ?? [];
    const first = inWindow.filter(({ id }) => !given.has(id)).slice(0, maxItems);
    for (const { id } of first) given.add(id);
    if (first.length > 0) taken.push(first);
    if (inWindow.length <= maxItems) ended.push(window);
  }
  return { taken, ended };
}

export async function deleteWindows(
  em: EntityManager,
  { channel }: Lane,
  windows: readonly Window[],
): Promise<void> {
  if (windows.length === 0) return;
  await sql`delete from notice_window w
    using unnest(${windows.map(({ user }) => user)}::bigint[], ${windows.map(({ organization }) => organization)}::bigint[],
      ${windows.map(({ document }) => document)}::bigint[]) as k (user_id, org_id, document_id)
    where w.user_id = k.user_id and w.channel = ${sql.lit(channelNumbers[channel])} and w.org_id = k.org_id
      and w.document_id = k.document_id`.execute(tablesOf(em));
}

/** Marks notices as waiting in their windows. */
export async function markBatching(
  em: EntityManager,
  { tenantId }: Lane,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`update notice set state = ${sql.lit(noticeStates.batching)} where id = any(${ids}::bigint[]) and api_key_id = ${tenantId}`.execute(
    tablesOf(em),
  );
}

const keyOf = ({ user, organization, document }: Window): string => `${user} ${organization} ${document}`;
