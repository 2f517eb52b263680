import { sql, type RawBuilder } from 'kysely';
import { openRemovals } from '../jobs/open-removals.ts';
import { urlOfThread } from './select-threads.ts';
import { suggestionStatusNumbers, threadKindNumbers } from './thread.entity.ts';

/** SQL: whether a list of the selection `s.rest` is absent or contains a value. */
const selects = (list: string, value: RawBuilder<unknown>): RawBuilder<unknown> => {
  const values = sql`s.rest -> ${sql.lit(list)}`;
  return sql`case when json_typeof(${values}) = 'array' then ${value} in (select json_array_elements_text(${values})) else true end`;
};

/**
 * SQL: whether a job is still to delete a thread `t`, whose deletion has returned. The conditions are those of
 * `lockSelected`, except ids: a selection with ids leaves nothing to a job.
 */
export const isLeftToJob = sql<boolean>`exists (
  select from (${openRemovals('threads', sql`array[t.org_id]`)}) o cross join lateral (select o.selection -> 'rest' as rest) s
  where (s.rest ->> 'document')::bigint = t.document_id and (s.rest ->> 'upTo')::bigint >= t.id
    and ${selects('locationIds', sql`t.location_id`)} and ${selects('creators', sql`t.creator_id::text`)}
    and (s.rest ->> 'agentId' is null or s.rest ->> 'agentId' = t.agent_id)
    and (not (s.rest ->> 'agentSuggestions')::boolean or t.agent_id is not null
      and t.kind = ${sql.lit(threadKindNumbers.suggestion)} and t.suggestion = ${sql.lit(suggestionStatusNumbers.pending)})
    and (json_typeof(s.rest -> 'agentUrls') <> 'array' or t.agent_id is not null and ${selects('agentUrls', urlOfThread)})
  offset 0)`;
