import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { lockUpTo } from '../lock-up-to.ts';
import { suggestionStatusNumbers, threadKindNumbers } from './thread.entity.ts';

/**
 * Conditions on threads of one document, combined with AND; null matches all. Surrogate keys, and the customer's ids of
 * annotations and locations.
 */
export interface ThreadSelection {
  readonly organization: string;
  readonly document: string;
  readonly annotationIds: readonly string[] | null;
  readonly locationIds: readonly string[] | null;
  readonly creators: readonly string[] | null;
  readonly agentId: string | null;
  /** Selects pending suggestions of agents. */
  readonly agentSuggestions: boolean;
  /** From `urlHash`. */
  readonly agentUrls: readonly string[] | null;
  /** Highest surrogate key: threads added later do not match. */
  readonly upTo: string;
}

/** The `upTo` of a selection without a limit. */
export const newest = '9223372036854775807';

/** SQL: the hash of the URL of a thread `t` without its fragment, as `urlHash` computes it. */
export const urlOfThread = sql`encode(sha256(convert_to(split_part(t.body -> 'agent' ->> 'url', '#', 1), 'UTF8')), 'hex')`;

/** SQL: whether a thread `t` of the document matches. */
const matches = (selection: ThreadSelection): RawBuilder<unknown> => sql`
  (${selection.locationIds}::text[] is null or t.location_id = any(${selection.locationIds}))
  and (${selection.creators}::bigint[] is null or t.creator_id = any(${selection.creators}))
  and (${selection.agentId}::text is null or t.agent_id = ${selection.agentId})
  and (not ${selection.agentSuggestions}::boolean or t.agent_id is not null
    and t.kind = ${sql.lit(threadKindNumbers.suggestion)} and t.suggestion = ${sql.lit(suggestionStatusNumbers.pending)})
  and (${selection.agentUrls}::text[] is null or t.agent_id is not null and ${urlOfThread} = any(${selection.agentUrls}))
  and t.id <= ${selection.upTo}::bigint`;

const SelectedRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  comment_count: z.number(),
  reaction_count: z.number(),
});
export type SelectedThread = z.infer<typeof SelectedRow>;

const LockedRow = z.strictObject({ matched: z.number(), row: SelectedRow.nullable() });

/** The locked threads of a selection. */
export interface LockedThreads {
  readonly threads: readonly SelectedThread[];
  /** Whether more than `max` threads matched before the lock. */
  readonly more: boolean;
}

/**
 * Locks up to `max` threads of a selection in the order of their keys, which prevents deadlocks. Checks the conditions
 * again under the lock, so a thread that a concurrent call changed may be missing. The result is empty only when no
 * thread matches. `also`: a further condition, in SQL, on a thread `t`.
 */
export async function lockSelected(
  em: EntityManager,
  tenantId: string,
  selection: ThreadSelection,
  max: number,
  also: RawBuilder<unknown> = sql`true`,
): Promise<LockedThreads> {
  const { rows, more } = await lockUpTo(max, async (limit) => lockOnce(em, tenantId, selection, also, limit));
  return { threads: rows, more };
}

async function lockOnce(
  em: EntityManager,
  tenantId: string,
  selection: ThreadSelection,
  also: RawBuilder<unknown>,
  limit: number,
): Promise<z.infer<typeof LockedRow>[]> {
  const { organization, document, annotationIds } = selection;
  const byIndex =
    annotationIds === null
      ? sql`t.document_id = ${document}`
      : sql`t.org_id = ${organization} and t.ext_id = any(${annotationIds}::text[]) and t.document_id = ${document}`;
  return rowsOf(
    em,
    LockedRow,
    sql`with next as materialized (
        select t.id from thread t where ${byIndex} and ${matches(selection)} and ${also} and t.api_key_id + 0 = ${tenantId} limit ${limit}),
      locked as materialized (
        select t.id, t.ext_id, t.comment_count, t.reaction_count from thread t
        where t.id = any(array(select id from next)) and ${matches(selection)} order by t.id for update)
      select n.matched, case when l.id is not null then json_build_object('id', l.id::text, 'ext_id', l.ext_id,
        'comment_count', l.comment_count, 'reaction_count', l.reaction_count) end as row
      from (select count(*)::int as matched from next) n left join locked l on true order by l.id`,
  );
}
