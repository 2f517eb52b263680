import { sql, type RawBuilder } from 'kysely';
import { isInOpenRemoval } from '../jobs/open-removals.ts';
import { urlOfThread } from './select-threads.ts';
import { suggestionStatusNumbers, threadKindNumbers } from './thread.entity.ts';

const rest = sql`o.selection -> 'rest'`;

/** SQL: a list of the selection; null when it is absent. */
const listOf = (list: string): RawBuilder<unknown> => {
  const values = sql`${rest} -> ${sql.lit(list)}`;
  return sql`case when json_typeof(${values}) = 'array' then array(select json_array_elements_text(${values})) end`;
};

const columns = sql`
  (${rest} ->> 'document')::bigint as document_id, (${rest} ->> 'upTo')::bigint as up_to,
  ${rest} ->> 'agentId' as agent_id, (${rest} ->> 'agentSuggestions')::boolean as agent_suggestions,
  ${listOf('locationIds')} as locations,
  ${listOf('creators')} as creators, ${listOf('agentUrls')} as agent_urls`;

const covers = sql`m.document_id = t.document_id and m.up_to >= t.id
  and (m.locations is null or t.location_id = any(m.locations))
  and (m.creators is null or t.creator_id::text = any(m.creators))
  and (m.agent_id is null or m.agent_id = t.agent_id)
  and (not m.agent_suggestions or t.agent_id is not null
    and t.kind = ${sql.lit(threadKindNumbers.suggestion)}
    and t.suggestion = ${sql.lit(suggestionStatusNumbers.pending)})
  and (m.agent_urls is null or t.agent_id is not null and ${urlOfThread} = any(m.agent_urls))`;

/**
 * SQL: whether a job is still to delete a thread `t` of an organization, whose deletion has returned. The conditions
 * are those of `lockSelected`, except ids: a selection with ids leaves nothing to a job.
 */
export const isThreadLeftToJob = (organization: string): RawBuilder<boolean> =>
  isInOpenRemoval('threads', organization, columns, covers);
