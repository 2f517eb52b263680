import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { minBigint } from '../bigint-range.ts';
import { isInVisibleDocument } from '../documents/resolve-document.ts';

/**
 * Conditions of a deletion, combined with AND; an absent or null one matches every record. `document` is a surrogate
 * key.
 */
export interface ActivityLogSelection {
  readonly document?: string | null | undefined;
  readonly targetEntityId?: string | null | undefined;
  readonly activityIds?: readonly string[] | null | undefined;
}

/** A position in the order of time, then surrogate key. The requests of jobs store it. */
export type ActivityLogCursor = readonly [ts: string, id: string];

/** The part of a selection to examine. */
export interface ActivityLogRange {
  readonly organization: string;
  readonly selection: ActivityLogSelection;
  /** Null: from the start. */
  readonly after: ActivityLogCursor | null;
  /** Highest surrogate key; null: no limit. */
  readonly upTo: string | null;
  readonly maxExamined: number;
  readonly maxFound: number;
}

/** A part of a selection that was examined. */
export interface ExaminedActivityLogs {
  /** Surrogate keys of the first `maxFound` matching records. */
  readonly found: readonly string[];
  /** The last position examined; null when no records follow it. */
  readonly last: ActivityLogCursor | null;
}

const first: ActivityLogCursor = [minBigint, '0'];

const ExaminedRow = z.strictObject({
  examined: z.number(),
  last: z.tuple([z.string(), z.string()]).nullable(),
  found: z.array(z.string()),
});

/**
 * Examines the next records by the index of one condition. A document that is named beside a target comes first: targets
 * such as `page` may be in each document of the organization.
 */
export async function examineActivityLogs(
  em: EntityManager,
  { organization, selection, after, upTo, maxExamined, maxFound }: ActivityLogRange,
): Promise<ExaminedActivityLogs> {
  const [ts, id] = after ?? first;
  const { examined, last, found } = await onlyRowOf(
    em,
    ExaminedRow,
    sql`with examined as materialized (
        select a.id, a.ts, a.ext_id, a.document_id, a.target_entity_id from activity a
        where ${narrowest(organization, selection)} and (a.ts, a.id) > (${ts}::bigint, ${id}::bigint)
        order by a.ts, a.id limit ${maxExamined})
      select count(*)::int as examined, max(array[e.ts, e.id])::text[] as last,
        coalesce((array_agg(e.id order by e.ts, e.id) filter (
          where (${upTo}::bigint is null or e.id <= ${upTo}) and ${matches('e', selection)}))[1:${maxFound}], '{}')::text[] as found
      from examined e`,
  );
  return { found, last: examined < maxExamined ? null : last };
}

const LockedRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/** Locks the records that still match. Their order prevents deadlocks between deletions. */
export async function lockActivityLogs(
  em: EntityManager,
  tenantId: string,
  selection: ActivityLogSelection,
  ids: readonly string[],
): Promise<readonly z.infer<typeof LockedRow>[]> {
  if (ids.length === 0) return [];
  return rowsOf(
    em,
    LockedRow,
    sql`select a.id, a.ext_id from activity a
      where a.id = any(${ids}::bigint[]) and a.api_key_id = ${tenantId} and ${matches('a', selection)}
      order by a.ts, a.id for update`,
  );
}

/**
 * SQL: the condition whose index is read. It names only columns of that index: with others, PostgreSQL may scan the
 * organization for a rare document.
 */
function narrowest(
  organization: string,
  { document = null, targetEntityId = null, activityIds = null }: ActivityLogSelection,
): RawBuilder<unknown> {
  if (activityIds !== null) return sql`a.org_id = ${organization} and a.ext_id = any(${activityIds}::text[])`;
  if (document !== null) return sql`a.document_id = ${document}`;
  return sql`a.org_id = ${organization} and a.target_entity_id = ${targetEntityId}::text`;
}

/** SQL: whether a record matches every condition. One text serves all of them. */
function matches(
  alias: 'a' | 'e',
  { document = null, targetEntityId = null, activityIds = null }: ActivityLogSelection,
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`(${document}::bigint is null or ${column('document_id')} + 0 = ${document})
    and (${targetEntityId}::text is null or ${column('target_entity_id')} = ${targetEntityId})
    and (${activityIds}::text[] is null or ${column('ext_id')} = any(${activityIds}))
    and ${isInVisibleDocument(column('document_id'))}`;
}
