import { sql, type RawBuilder } from 'kysely';
import {
  suggestionStatusNumbers,
  threadKindNumbers,
  agentTypeNumbers,
  type AgentType,
} from './thread.entity.ts';
import { threadRoles } from './thread-person.entity.ts';

/** Conditions on threads, combined with AND; values of one list with OR. Users and folders are surrogate keys. */
export interface AnnotationFilter {
  /** Null: documents outside folders. */
  readonly folder?: string | null | undefined;
  readonly locationIds?: readonly string[] | undefined;
  readonly annotationIds?: readonly string[] | undefined;
  readonly creators?: readonly string[] | undefined;
  readonly mentioned?: readonly string[] | undefined;
  readonly statusIds?: readonly string[] | undefined;
  readonly resolver?: string | undefined;
  readonly agentId?: string | undefined;
  readonly executionId?: string | undefined;
  readonly agentType?: AgentType | undefined;
  readonly agentSource?: string | undefined;
  /** Selects pending suggestions of agents. */
  readonly agentSuggestions?: boolean | undefined;
  /** Selects annotations of agents. */
  readonly agentComments?: boolean | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

/** Whether a filter has a condition that the index of its source does not cover. */
export const isResidual = (filter: AnnotationFilter, covered: keyof AnnotationFilter | undefined): boolean =>
  Object.entries(filter).some(([name, value]) => value !== undefined && value !== false && name !== covered);

/** SQL: whether a thread `t` of a document `d` matches. One statement text serves all conditions, sent or not. */
export function matchesFilter(filter: AnnotationFilter): RawBuilder<unknown> {
  const { folder, locationIds = null, annotationIds = null, creators = null, mentioned = null } = filter;
  const { statusIds = null, resolver = null, agentId = null, executionId = null } = filter;
  const { agentSource = null, createdAfter = null, createdBefore = null } = filter;
  const agentType = filter.agentType === undefined ? null : agentTypeNumbers[filter.agentType];
  return sql`(${folder === undefined}::boolean or d.folder_id is not distinct from ${folder ?? null}::bigint)
    and (${locationIds}::text[] is null or t.location_id = any(${locationIds}))
    and (${annotationIds}::text[] is null or t.ext_id = any(${annotationIds}))
    and (${creators}::bigint[] is null or t.creator_id = any(${creators}))
    and (${mentioned}::bigint[] is null or exists (select from thread_person p
      where p.thread_id = t.id and p.user_id = any(${mentioned}) and p.roles & ${sql.lit(threadRoles.tagged)} <> 0))
    and (${statusIds}::text[] is null or t.status_id = any(${statusIds}))
    and (${resolver}::bigint is null or t.resolver_id = ${resolver})
    and (${agentId}::text is null or t.agent_id = ${agentId})
    and (${agentType}::smallint is null or t.agent_type = ${agentType})
    and (${executionId}::text is null or t.agent_id is not null and t.body -> 'agent' ->> 'executionId' = ${executionId})
    and (${agentSource}::text is null or t.agent_id is not null and t.body -> 'agent' ->> 'agentSource' = ${agentSource})
    and (not ${filter.agentSuggestions === true}::boolean or t.agent_id is not null
      and t.kind = ${sql.lit(threadKindNumbers.suggestion)} and t.suggestion = ${sql.lit(suggestionStatusNumbers.pending)})
    and (not ${filter.agentComments === true}::boolean or t.agent_id is not null)
    and (${createdAfter}::bigint is null or t.created_at > ${createdAfter})
    and (${createdBefore}::bigint is null or t.created_at < ${createdBefore})`;
}
