import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { channelNumbers } from '../notices/channels.ts';
import { noticeStates } from '../notices/statuses.ts';
import {
  BatchingRow,
  windowKey,
  maxItems,
  wholeOrganization,
  type Batching,
  type Closing,
  type Taken,
  type Window,
  type Windows,
} from './windows.ts';
import type { Lane } from './write-deliveries.ts';

/**
 * Reads the notices that wait in the windows of arriving notices, oldest first: the first `maxItems` of each window and one
 * more. Where the key has the user window, it contains those of all documents.
 */
export async function batchingOf(
  em: EntityManager,
  { tenantId, channel }: Lane,
  windows: Windows,
  arriving: readonly Batching[],
): Promise<Batching[]> {
  const joined = [...new Map(arriving.map((notice) => [widestOf(windows, notice), notice])).values()];
  const inWindow = windows.user.isEnabled ? sql`` : sql`and document_id = k.document_id`;
  return rowsOf(
    em,
    BatchingRow,
    sql`select n.id, n.user_id as "user", n.org_id as organization, n.document_id as document
      from unnest(${joined.map(({ user }) => user)}::bigint[], ${joined.map(({ organization }) => organization)}::bigint[],
        ${joined.map(({ document }) => document)}::bigint[]) as k (user_id, org_id, document_id)
      cross join lateral (
        select id, user_id, org_id, document_id, due_at from notice
        where user_id = k.user_id and org_id = k.org_id and channel = ${sql.lit(channelNumbers[channel])} ${inWindow}
          and state = ${sql.lit(noticeStates.batching)} and api_key_id = ${tenantId}
        order by due_at, id limit ${sql.lit(maxItems + 1)}) n
      order by n.due_at, n.id`,
  );
}

/**
 * Adds notices to the windows of their users one by one. A window with `maxActivities` notices closes at once, and stays
 * open when more notices wait than were read. `left`: surrogate keys of the notices that stay in a window.
 */
export function joinWindows(
  windows: Windows,
  waiting: readonly Batching[],
  arriving: readonly Batching[],
): Closing & { readonly left: ReadonlySet<string> } {
  const groups = new Map(Map.groupBy(waiting, readerOf));
  const unread = new Set(
    [...Map.groupBy(waiting, (notice) => widestOf(windows, notice))].flatMap(([window, notices]) =>
      notices.length > maxItems ? [window] : [],
    ),
  );
  const taken: Taken[] = [];
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
    taken.push({ notices: [...first], closesAt: null });
    if (first.size === full.notices.length && !unread.has(widestOf(windows, notice)))
      ended.push({ user, organization, document: full.document });
  }
  return { taken, ended, left: new Set([...groups.values()].flat().map(({ id }) => id)) };
}

const readerOf = ({ user, organization }: Pick<Batching, 'user' | 'organization'>): string =>
  `${user} ${organization}`;

/** The widest window that a notice joins. */
const widestOf = (windows: Windows, notice: Batching): string =>
  windows.user.isEnabled ? readerOf(notice) : windowKey(notice);
