import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { channelNumbers } from '../notices/channels.ts';
import type { PlanningSettings } from '../notices/planning-settings.ts';
import { noticeStates } from '../notices/statuses.ts';
import { tablesOf } from '../tables.ts';
import type { Lane } from './write-deliveries.ts';

export type Windows = NonNullable<PlanningSettings['windows']>;

/** A notice that waits in windows. Surrogate keys. */
export const BatchingRow = z.strictObject({
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
export const wholeOrganization = '0';

/** Max notices of one delivery. */
export const maxItems = 50;

export const hasWindows = (windows: Windows | undefined): windows is Windows =>
  windows !== undefined && (windows.document.isEnabled || windows.user.isEnabled);

/** Notices of one delivery. */
export interface Taken {
  /** Oldest first. */
  readonly notices: readonly Batching[];
  /** Time at which their window was due, in PostgreSQL's text; null for a window that closed because it was full. */
  readonly closesAt: string | null;
}

/** Result of closing windows. */
export interface Closing {
  readonly taken: readonly Taken[];
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
      .map((window) => [windowKey(window), window]),
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

export const windowKey = ({ user, organization, document }: Window): string =>
  `${user} ${organization} ${document}`;
