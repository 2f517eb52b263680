import {
  rowsWithin,
  withinBytes,
  type BoundedRows,
  type Sizing,
} from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { visibleDocument } from '../documents/resolve-document.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import { featureNumber, type ActivityBody, type FeatureType } from './activity.ts';

/** Conditions, all of which hold. Document and user are surrogate keys. */
export interface ActivityFilter {
  readonly document?: string | undefined;
  readonly user?: string | undefined;
  readonly targetEntityId?: string | undefined;
  readonly featureTypes?: readonly FeatureType[] | undefined;
  readonly actionTypes?: readonly string[] | undefined;
  readonly activityIds?: readonly string[] | undefined;
}

export interface ActivityRow {
  readonly id: string;
  readonly ext_id: string;
  readonly ts: string;
  readonly body: ActivityBody;
  readonly document_ext_id: string;
}

/** A place in the order of time, then of the surrogate key. */
export interface ActivityPosition {
  readonly ts: string;
  readonly id: string;
}

export interface ActivityPage {
  readonly activities: ActivityRow[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: ActivityPosition | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/** Most rows that one page looks at: with filters that have no index of their own it may be short, with more behind it. */
const mostExamined = 20_000;

type Order = 'asc' | 'desc';

/** By timestamp, then by the order of writing. Records of deleted documents are gone with them. */
export async function readActivities(
  em: EntityManager,
  organization: ResolvedOrganization,
  filter: ActivityFilter,
  { after, limit, order }: { after: ActivityPosition | undefined; limit: PageLimit; order: Order },
): Promise<ActivityPage> {
  const { by } = narrowest(filter);
  const residual = conditions.some((name) => name !== by && filter[name] !== undefined);
  const start = after ?? startOf(order);
  const found = await rowsWithin<FoundRow>(em, (sizing) => statement(filter, order, sizing), [
    organization.id,
    start.ts,
    start.id,
    residual ? mostExamined : limit.rows + 1,
    limit.rows + 1,
    filter.document ?? null,
    filter.user ?? null,
    filter.targetEntityId ?? null,
    filter.featureTypes?.map(featureNumber) ?? null,
    filter.actionTypes ?? null,
    filter.activityIds ?? null,
    limit.bytes,
    limit.aloneBytes,
  ]);
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const activities = matching.slice(0, limit.rows);
  if (cut) return { activities, next: positionOf(activities.at(-1)) ?? after, cut };
  // The last row examined is answered even when it does not match: it says where to go on.
  const boundary = matching.length > limit.rows ? activities.at(-1) : found.find(({ last }) => last);
  return { activities, next: positionOf(boundary), cut };
}

type FoundRow = ActivityRow & BoundedRow & { readonly matches: boolean; readonly last: boolean };

const positionOf = (row: ActivityRow | undefined): ActivityPosition | undefined =>
  row && { ts: row.ts, id: row.id };

function startOf(order: Order): ActivityPosition {
  return order === 'asc' ? { ts: '-1', id: '0' } : { ts: '9223372036854775807', id: '9223372036854775807' };
}

const conditions = [
  'document',
  'user',
  'targetEntityId',
  'featureTypes',
  'actionTypes',
  'activityIds',
] as const satisfies readonly (keyof ActivityFilter)[];

/**
 * The narrowest index, and the condition that it settles: a record id, the acting user, the target, the document; else the
 * organization. Names no column that the index has not: by another index, a rare document would be looked for among all
 * records of its organization.
 */
function narrowest({ activityIds, user, targetEntityId, document }: ActivityFilter): {
  readonly at: string;
  readonly by?: keyof ActivityFilter;
} {
  if (activityIds !== undefined)
    return { at: 'a.org_id = $1 and a.ext_id = any($11::text[])', by: 'activityIds' };
  if (user !== undefined) return { at: 'a.actor_id = $7::bigint and a.org_id = $1', by: 'user' };
  if (targetEntityId !== undefined)
    return { at: 'a.org_id = $1 and a.target_entity_id = $8::text', by: 'targetEntityId' };
  if (document !== undefined) return { at: 'a.document_id = $6::bigint', by: 'document' };
  return { at: 'a.org_id = $1' };
}

const bounded = {
  from: 'page',
  order: 's.place',
  content: 'body',
  type: 'json',
  beside: '2 * (octet_length(ext_id) + octet_length(document_ext_id))',
  bytes: '$12::bigint',
  aloneBytes: '$13::bigint',
} as const satisfies BoundedRows;

/** Ordered by what was examined, which comes in that order: the look-ups end with the page. */
function statement(filter: ActivityFilter, order: Order, sizing: Sizing): string {
  const beyond = order === 'asc' ? '>' : '<';
  return `
    with examined as (
      select a.id, a.ts, row_number() over (order by a.ts ${order}, a.id ${order}) as place from activity a
      where ${narrowest(filter).at} and (a.ts, a.id) ${beyond} ($2::bigint, $3::bigint)
      order by a.ts ${order}, a.id ${order} limit $4),
    judged as (
      select e.id, e.place, a.ext_id, e.ts, a.body, d.ext_id as document_ext_id, e.place = $4 as last,
        a.org_id = $1 and d.deleted_at is null and ${visibleDocument}
        and ($6::bigint is null or a.document_id = $6) and ($7::bigint is null or a.actor_id = $7)
        and ($8::text is null or a.target_entity_id = $8) and ($9::smallint[] is null or a.feature = any($9))
        and ($10::text[] is null or a.action_type = any($10)) and ($11::text[] is null or a.ext_id = any($11)) as matches
      from examined e
        -- Lateral and offset 0: row by row, by their keys, never a table against a table.
        cross join lateral (select * from activity where id = e.id offset 0) a
        cross join lateral (select * from document where id = a.document_id offset 0) d),
    page as (
      select id, place, ext_id, ts, case when matches then body end as body, document_ext_id, matches, last
      from judged where matches or last order by ts ${order}, id ${order} limit $5),
    ${withinBytes(sizing, bounded)}
    select id, ext_id, ts, case when fits then body end as body, document_ext_id, matches, last, fits, candidates
    from within order by nth`;
}
