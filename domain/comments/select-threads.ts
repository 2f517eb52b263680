import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import type { ThreadPosition } from './thread-page.ts';
import { coverage, indexOf, rangeOf, type ThreadSource } from './thread-range.ts';
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
  /** Highest surrogate key: threads added later do not match. `maxBigint` without a limit. */
  readonly upTo: string;
}

/** The hash of a URL without its fragment. A job may store it, but not the URL. */
export const urlHash = (url: string): string => sha256(url.split('#', 1)[0] ?? '').toString('hex');

/** SQL: the hash of the URL of a thread `t` without its fragment, as `urlHash` computes it. */
const urlOfThread = sql`encode(sha256(convert_to(split_part(t.body -> 'agent' ->> 'url', '#', 1), 'UTF8')), 'hex')`;

/** The conditions of a selection but its document and ids, in SQL; each may be null, which matches all. */
interface Conditions {
  readonly locationIds: RawBuilder<unknown>;
  readonly creators: RawBuilder<unknown>;
  readonly agentId: RawBuilder<unknown>;
  readonly agentSuggestions: RawBuilder<unknown>;
  readonly agentUrls: RawBuilder<unknown>;
  readonly upTo: RawBuilder<unknown>;
}

/** SQL: whether a thread `t` of the document matches. Calls and their jobs select by it. */
export const matchesAll = ({
  locationIds,
  creators,
  agentId,
  agentSuggestions,
  agentUrls,
  upTo,
}: Conditions): RawBuilder<boolean> => sql`
  (${locationIds} is null or t.location_id = any(${locationIds}))
  and (${creators} is null or t.creator_id = any(${creators}))
  and (${agentId} is null or t.agent_id = ${agentId})
  and (not ${agentSuggestions} or t.agent_id is not null
    and t.kind = ${sql.lit(threadKindNumbers.suggestion)} and t.suggestion = ${sql.lit(suggestionStatusNumbers.pending)})
  and (${agentUrls} is null or t.agent_id is not null and ${urlOfThread} = any(${agentUrls}))
  and t.id <= ${upTo}`;

const matches = (selection: ThreadSelection): RawBuilder<boolean> =>
  matchesAll({
    locationIds: sql`${selection.locationIds}::text[]`,
    creators: sql`${selection.creators}::bigint[]`,
    agentId: sql`${selection.agentId}::text`,
    agentSuggestions: sql`${selection.agentSuggestions}::boolean`,
    agentUrls: sql`${selection.agentUrls}::text[]`,
    upTo: sql`${selection.upTo}::bigint`,
  });

const SelectedRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  comment_count: z.number(),
  reaction_count: z.number(),
});

/** A locked thread, and its position when it was found. */
export type SelectedThread = z.infer<typeof SelectedRow> & { readonly position: ThreadPosition };

const FoundRow = z.strictObject({
  id: z.string(),
  updated_at: z.string(),
  /** False for the first thread of its list that is not examined. */
  matches: z.boolean(),
  /** Null when a concurrent call changed or deleted the thread. */
  row: SelectedRow.nullable(),
});
type FoundRow = z.infer<typeof FoundRow>;

/** Limits of a call, and further conditions. */
export interface Locking {
  /** Max threads that are locked. */
  readonly max: number;
  /** Max threads that are examined: filters other than ids have no index within a document. */
  readonly maxExamined: number;
  /** Continues after this position in the document, by the last update. Not for `annotationIds` or `creators`. */
  readonly after?: ThreadPosition | null | undefined;
  /** A further condition, in SQL, on a thread `t`. */
  readonly also?: RawBuilder<unknown>;
}

/** The locked threads of a selection. */
export interface LockedThreads {
  /** In the order in which they were found. */
  readonly threads: readonly SelectedThread[];
  /** Undefined when every thread was examined and no further one matches. */
  readonly rest: UnlockedThreads | undefined;
}

/** The threads that a call has not locked. */
export interface UnlockedThreads {
  /** True when more than `max` threads matched, false when the selection has more than `maxExamined` threads. */
  readonly matches: boolean;
  /** All of them come after this position in the document; null: from its start. */
  readonly after: ThreadPosition | null;
}

/**
 * Locks up to `max` threads of a selection in the order of their keys, which prevents deadlocks. Checks the conditions
 * again under the lock, so a thread that a concurrent call changed may be missing. The result is empty only when no
 * examined thread matches.
 */
export async function lockSelected(
  em: EntityManager,
  tenantId: string,
  selection: ThreadSelection,
  locking: Locking,
): Promise<LockedThreads> {
  const { creators, annotationIds } = selection;
  if (creators?.length === 0) return { threads: [], rest: undefined };
  const source = annotationIds === null ? await sourceOf(em, selection, locking) : undefined;
  for (;;) {
    const found = await lockOnce(em, tenantId, selection, locking, source);
    const threads = found.flatMap((one) =>
      one.row === null ? [] : { ...one.row, position: positionOf(one) },
    );
    const isChanged = threads.length === 0 && found.some(({ matches }) => matches);
    if (!isChanged)
      return lockedOf(found, threads, { max: locking.max, inOrder: source?.by === 'documents' });
  }
}

const positionOf = ({ updated_at, id }: FoundRow): ThreadPosition => ({ updatedAt: updated_at, id });

function lockedOf(
  found: readonly FoundRow[],
  threads: readonly SelectedThread[],
  { max, inOrder }: { readonly max: number; readonly inOrder: boolean },
): LockedThreads {
  const matching = found.filter(({ matches }) => matches);
  const first = matching[max] ?? found.find(({ matches }) => !matches);
  const left = matching[max]?.id;
  return {
    threads: threads.filter(({ id }) => id !== left),
    rest: first && { matches: first.matches, after: inOrder ? justBefore(positionOf(first)) : null },
  };
}

/** The position after which a thread is the first: keys are whole numbers. */
export const justBefore = ({ updatedAt, id }: ThreadPosition): ThreadPosition => ({
  updatedAt,
  id: String(BigInt(id) - 1n),
});

const LargeRow = z.strictObject({ large: z.boolean() });

/** The list to examine: the document's, or the creators' in the organization where the document's is too long. */
async function sourceOf(
  em: EntityManager,
  { document, creators }: ThreadSelection,
  { maxExamined, after }: Locking,
): Promise<ThreadSource> {
  const ofDocument = { by: 'documents', documents: [document] } as const;
  if (creators === null || after !== undefined) return ofDocument;
  const { large } = await onlyRowOf(
    em,
    LargeRow,
    sql`select exists (select from thread t where t.document_id = ${document} offset ${maxExamined}) as large`,
  );
  return large ? { by: 'creators', creators } : ofDocument;
}

async function lockOnce(
  em: EntityManager,
  tenantId: string,
  selection: ThreadSelection,
  { max, maxExamined, after, also = sql`true` }: Locking,
  source: ThreadSource | undefined,
): Promise<FoundRow[]> {
  const { organization, document, annotationIds } = selection;
  const selected = sql`t.document_id = ${document} and t.api_key_id + 0 = ${tenantId} and ${matches(selection)} and ${also}`;
  const next =
    source === undefined
      ? sql`select t.id, t.updated_at, true as matches, 1 as nth from thread t
          where t.org_id = ${organization} and t.ext_id = any(${annotationIds}::text[]) and ${selected} limit ${max + 1}`
      : examined(source, organization, { selected, max, maxExamined, after: after ?? undefined });
  return rowsOf(
    em,
    FoundRow,
    sql`with next as materialized (${next}),
      locked as materialized (
        select t.id, t.ext_id, t.comment_count, t.reaction_count from thread t
        where t.id = any(array(select id from next where matches)) and ${matches(selection)} order by t.id for update)
      select n.id, n.updated_at, n.matches, case when l.id is not null then json_build_object('id', l.id::text,
        'ext_id', l.ext_id, 'comment_count', l.comment_count, 'reaction_count', l.reaction_count) end as row
      from next n left join locked l on l.id = n.id order by n.nth, n.id`,
  );
}

/**
 * SQL: the selected threads of the source's lists, each in the order of its index, and of each list the first thread
 * that is not examined. Reads no further than the limits.
 */
function examined(
  source: ThreadSource,
  organization: string,
  {
    selected,
    max,
    maxExamined,
    after,
  }: Pick<Locking, 'max' | 'maxExamined'> & {
    readonly selected: RawBuilder<unknown>;
    readonly after: ThreadPosition | undefined;
  },
): RawBuilder<unknown> {
  const index = indexOf(source, organization);
  const { within, ordered } = rangeOf(index, { source, filter: {}, order: 'asc' }, after);
  const each = Math.max(1, Math.floor(maxExamined / coverage(source).keys));
  return sql`select t.id, t.updated_at, t.nth <= ${each} as matches, t.nth from ${index.keys} cross join lateral (
      select t.*, row_number() over (order by ${ordered}) as nth from thread t
      where ${index.of} and ${within} order by ${ordered} limit ${each + 1}) t
    where t.nth > ${each} or (${selected}) limit ${max + 1}`;
}
