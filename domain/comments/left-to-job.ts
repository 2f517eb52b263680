import { sql, type RawBuilder } from 'kysely';
import { isInOpenRemoval } from '../jobs/open-removals.ts';
import { matchesAll } from './select-threads.ts';

const rest = sql`o.selection -> 'rest'`;

/** SQL: a list of the selection; null when it is absent. */
const listOf = (list: string): RawBuilder<unknown> => {
  const values = sql`${rest} -> ${sql.lit(list)}`;
  return sql`(case when json_typeof(${values}) = 'array' then array(select json_array_elements_text(${values})) end)`;
};

const columns = sql`
  (${rest} ->> 'document')::bigint as document_id, (${rest} ->> 'upTo')::bigint as up_to,
  ${rest} ->> 'agentId' as agent_id, (${rest} ->> 'agentSuggestions')::boolean as agent_suggestions,
  ${listOf('locationIds')} as locations,
  ${listOf('creators')}::bigint[] as creators, ${listOf('agentUrls')} as agent_urls`;

const covers = sql`m.document_id = t.document_id and ${matchesAll({
  locationIds: sql`m.locations`,
  creators: sql`m.creators`,
  agentId: sql`m.agent_id`,
  agentSuggestions: sql`m.agent_suggestions`,
  agentUrls: sql`m.agent_urls`,
  upTo: sql`m.up_to`,
})}`;

/**
 * SQL: whether a job is still to delete a thread `t` of an organization, whose deletion has returned. Ids are no
 * condition: a selection with ids leaves nothing to a job.
 */
export const isThreadLeftToJob = (organization: string): RawBuilder<boolean> =>
  isInOpenRemoval('threads', organization, columns, covers);
