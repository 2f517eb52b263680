import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { inIndexOrder, readByIndex } from '../../platform/database/planner.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import { actorKinds, auditOutcomes, type ActorKind, type AuditOutcome } from './audit-entry.entity.ts';

/** Conditions, combined with AND. Times in milliseconds: `from` inclusive, `until` exclusive. */
export interface AuditFilter {
  readonly workspaceId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly actor?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly action?: string | undefined;
  /** Any of these targets. */
  readonly targets?: readonly string[] | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** A position in the order of time, then id. */
export interface AuditPosition {
  readonly at: string;
  readonly id: string;
}

/** A page of entries, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditRow[];
  /** The next page starts after it; undefined at the end. */
  readonly next: AuditPosition | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

const AuditRow = z.strictObject({
  id: z.string(),
  at: z.date(),
  workspace_id: z.string().nullable(),
  key_id: z.string().nullable(),
  actor_kind: z.enum(actorKinds),
  actor: z.string().nullable(),
  address: z.string().nullable(),
  action: z.string(),
  target: z.string().nullable(),
  outcome: z.enum(auditOutcomes),
  request_id: z.string().nullable(),
  dropped: z.int(),
  content: z.custom<{ readonly before: object | null; readonly after: object | null } | null>(),
});
export type AuditRow = z.infer<typeof AuditRow>;

const FoundRow = AuditRow.extend(BoundedRow.shape).extend({
  /** The time in microseconds. */
  at_text: z.string(),
  matches: z.boolean(),
  last: z.boolean(),
});

interface Paging {
  readonly after: AuditPosition | undefined;
  readonly limit: PageLimit;
}

/** Reads entries, newest first. */
export async function readAuditEntries(
  em: EntityManager,
  filter: AuditFilter,
  paging: Paging,
): Promise<AuditPage> {
  const read = async (reading: EntityManager) =>
    rowsWithin(reading, FoundRow, (sizing) => statement(filter, paging, sizing));
  const found = await readByIndex(em, read, inIndexOrder);
  const { after, limit } = paging;
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const entries = matching.slice(0, limit.rows);
  // The last row examined is returned even without a match: it is the cursor of the next page.
  const boundary = cut || matching.length > limit.rows ? entries.at(-1) : found.find(({ last }) => last);
  const next = boundary && { at: boundary.at_text, id: boundary.id };
  return { entries, next: next ?? (cut ? after : undefined), cut };
}

const descending = sql`s.at desc, s.id desc`;

const newest: AuditPosition = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

function statement(
  filter: AuditFilter,
  { after = newest, limit }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const { condition, residual } = rangeOf(filter);
  const examined = residual ? maxExamined : limit.rows + 1;
  // The condition on the time alone lets PostgreSQL leave out partitions.
  return sql`
    with examined as (
      select e.*, row_number() over (order by e.at desc, e.id desc) = ${examined}::bigint as last from (
        select * from audit_entry where ${condition}
          and at >= ${timeOf(filter.from, '-infinity')}::timestamptz and at < ${timeOf(filter.until, 'infinity')}::timestamptz
          and at <= ${after.at}::timestamptz and (at, id) < (${after.at}::timestamptz, ${after.id}::uuid)
        order by at desc, id desc limit ${examined}) e),
    judged as (select *, ${matches(filter)} as matches from examined),
    page as (
      select *, json_build_object('before', before, 'after', after) as content
      from judged where matches or last order by at desc, id desc limit ${limit.rows + 1}),
    ${withinBytes(sizing, {
      from: 'page',
      order: descending,
      content: 'content',
      type: 'json',
      beside: sql`1024 + 2 * coalesce(octet_length(target), 0)`,
      limit,
    })}
    select id, at, at::text as at_text, workspace_id, key_id, actor_kind, actor, address, action, target, outcome,
      request_id, dropped, case when fits then content end as content, last, matches, fits, candidates
    from within order by nth`;
}

/**
 * SQL: the range of the index by workspace, target, key or time. `residual`: whether other filters check each row of
 * it. A workspace comes first: its reader must not learn from a page how many entries of other workspaces exist.
 */
function rangeOf(filter: AuditFilter): { condition: RawBuilder<unknown>; residual: boolean } {
  const { workspaceId, keyId, targets, from: _from, until: _until, ...others } = filter;
  const left = (...more: readonly unknown[]): boolean =>
    [...Object.values(others), ...more].some((value) => value !== undefined);
  const [target, ...further] = targets ?? [];
  if (workspaceId !== undefined)
    return { condition: sql`workspace_id = ${workspaceId}::text`, residual: left(targets, keyId) };
  if (target !== undefined && further.length === 0)
    return { condition: sql`target = ${target}::text`, residual: left(keyId) };
  if (keyId !== undefined) return { condition: sql`key_id = ${keyId}::text`, residual: left(targets) };
  return { condition: sql`true`, residual: left(targets) };
}

const timeOf = (milliseconds: number | undefined, bound: string): string =>
  milliseconds === undefined ? bound : new Date(milliseconds).toISOString();

/** SQL: whether an entry matches. One statement text serves all filters. */
function matches({ workspaceId, keyId, targets, ...others }: AuditFilter): RawBuilder<boolean> {
  const { actor, actorKind, action, outcome } = others;
  const equal = (column: string, value: string | undefined) =>
    sql`(${value ?? null}::text is null or ${sql.ref(column)} is not distinct from ${value ?? null}::text)`;
  return sql<boolean>`(${equal('workspace_id', workspaceId)} and ${equal('key_id', keyId)} and ${equal('actor', actor)}
    and ${equal('actor_kind', actorKind)} and ${equal('action', action)} and ${equal('outcome', outcome)}
    and (${targets ?? null}::text[] is null or coalesce(target = any(${targets ?? null}::text[]), false)))`;
}
