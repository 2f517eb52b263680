import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { startOf } from '../bigint-range.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import { featureNumbers, type ActivityLogBody, type FeatureType } from './activity-log.entity.ts';

/** Conditions, combined with AND. Document and user are surrogate keys. */
export interface ActivityLogFilter {
  readonly document?: string | undefined;
  readonly user?: string | undefined;
  readonly targetEntityId?: string | undefined;
  readonly featureTypes?: readonly FeatureType[] | undefined;
  readonly actionTypes?: readonly string[] | undefined;
  readonly activityIds?: readonly string[] | undefined;
}

const ActivityLogRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  ts: z.string(),
  body: z.custom<ActivityLogBody>(),
  document_ext_id: z.string(),
});
export type ActivityLogRow = z.infer<typeof ActivityLogRow>;

/** A position in the order of time, then surrogate key. */
export interface ActivityLogPosition {
  readonly ts: string;
  readonly id: string;
}

/** A page of activity logs, in the requested order. */
export interface ActivityLogPage {
  readonly activityLogs: ActivityLogRow[];
  /** The next page starts after it; undefined at the end. */
  readonly next: ActivityLogPosition | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

type Order = 'asc' | 'desc';

/** Reads by timestamp, then order of writing. Records of deleted documents are omitted. */
export async function readActivityLogs(
  em: EntityManager,
  organization: ResolvedOrganization,
  filter: ActivityLogFilter,
  paging: Paging,
): Promise<ActivityLogPage> {
  const { after, limit } = paging;
  const found = await rowsWithin(em, FoundRow, (sizing) => statement(organization, filter, paging, sizing));
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter((row): row is FoundRow & ActivityLogRow => row.matches);
  const activityLogs = matching.slice(0, limit.rows);
  if (cut) return { activityLogs, next: positionOf(activityLogs.at(-1)) ?? after, cut };
  // The last row examined is returned even without a match: it is the cursor of the next page.
  const boundary = matching.length > limit.rows ? activityLogs.at(-1) : found.find(({ last }) => last);
  return { activityLogs, next: positionOf(boundary), cut };
}

const FoundRow = ActivityLogRow.extend(BoundedRow.shape).extend({
  matches: z.boolean(),
  last: z.boolean(),
  // Null only where `matches` is false: the document is deleted.
  document_ext_id: z.string().nullable(),
});
type FoundRow = z.infer<typeof FoundRow>;

interface Paging {
  readonly after: ActivityLogPosition | undefined;
  readonly limit: PageLimit;
  readonly order: Order;
}

const positionOf = (row: Pick<ActivityLogRow, 'id' | 'ts'> | undefined): ActivityLogPosition | undefined =>
  row && { ts: row.ts, id: row.id };

const conditions = [
  'document',
  'user',
  'targetEntityId',
  'featureTypes',
  'actionTypes',
  'activityIds',
] as const satisfies readonly (keyof ActivityLogFilter)[];

/**
 * The narrowest index and the condition that it covers: record id, acting user, target, document, else organization.
 * It names only columns of that index: with others, PostgreSQL may scan the organization for a rare document.
 */
function narrowestIndex(
  organization: ResolvedOrganization,
  { activityIds, user, targetEntityId, document }: ActivityLogFilter,
): { readonly at: RawBuilder<unknown>; readonly by?: keyof ActivityLogFilter } {
  const within = sql`a.org_id = ${organization.id}`;
  if (activityIds !== undefined)
    return { at: sql`${within} and a.ext_id = any(${activityIds}::text[])`, by: 'activityIds' };
  if (user !== undefined) return { at: sql`a.actor_id = ${user}::bigint and ${within}`, by: 'user' };
  if (targetEntityId !== undefined)
    return { at: sql`${within} and a.target_entity_id = ${targetEntityId}::text`, by: 'targetEntityId' };
  if (document !== undefined) return { at: sql`a.document_id = ${document}::bigint`, by: 'document' };
  return { at: within };
}

/** SQL: whether a record `a` matches. One statement text serves all conditions, sent or not. */
function matches(filter: ActivityLogFilter): RawBuilder<unknown> {
  const {
    document = null,
    user = null,
    targetEntityId = null,
    actionTypes = null,
    activityIds = null,
  } = filter;
  const features = filter.featureTypes?.map((feature) => featureNumbers[feature]) ?? null;
  return sql`(${document}::bigint is null or a.document_id = ${document}) and (${user}::bigint is null or a.actor_id = ${user})
    and (${targetEntityId}::text is null or a.target_entity_id = ${targetEntityId})
    and (${features}::smallint[] is null or a.feature = any(${features}))
    and (${actionTypes}::text[] is null or a.action_type = any(${actionTypes}))
    and (${activityIds}::text[] is null or a.ext_id = any(${activityIds}))`;
}

/** Keeps the order of the examined rows, so that lookups of their documents end with the page. */
function statement(
  organization: ResolvedOrganization,
  filter: ActivityLogFilter,
  { after, limit, order }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const { at, by } = narrowestIndex(organization, filter);
  const residual = conditions.some((name) => name !== by && filter[name] !== undefined);
  const examined = residual ? maxExamined : limit.rows + 1;
  const start = after ?? startOf(order);
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  const way = sql.raw(order);
  return sql`
    with examined as (
      select a.id, a.ts, row_number() over (order by a.ts ${way}, a.id ${way}) as position from activity a
      where ${at} and (a.ts, a.id) ${beyond} (${start.ts}::bigint, ${start.id}::bigint)
      order by a.ts ${way}, a.id ${way} limit ${examined}),
    judged as (
      select e.id, e.position, a.ext_id, e.ts, a.body, d.ext_id as document_ext_id, e.position = ${examined} as last,
        a.org_id = ${organization.id} and d.deleted_at is null and ${isVisible} and ${matches(filter)} as matches
      from examined e
        -- Lateral with offset 0 forces a lookup by key for each row, never a join of whole tables.
        cross join lateral (select * from activity where id = e.id offset 0) a
        cross join lateral (select * from document where id = a.document_id offset 0) d),
    page as (
      select id, position, ext_id, ts, case when matches then body end as body, document_ext_id, matches, last
      from judged where matches or last order by ts ${way}, id ${way} limit ${limit.rows + 1}),
    ${withinBytes(sizing, {
      from: 'page',
      order: sql`s.position`,
      content: 'body',
      type: 'json',
      // The document of the last examined row may be deleted, and then has no id.
      beside: sql`2 * (octet_length(ext_id) + coalesce(octet_length(document_ext_id), 0))`,
      limit,
    })}
    select id, ext_id, ts, case when fits then body end as body, document_ext_id, matches, last, fits, candidates
    from within order by nth`;
}
