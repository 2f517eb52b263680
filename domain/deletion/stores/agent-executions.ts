import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import type { RanBy } from '../../agents/execution.ts';
import { containsPeople } from './contains-people.ts';
import type { JsonRecords } from './batch-by-name.ts';
import { withoutPeople, withoutPeopleInside } from './without-people.ts';

/** SQL: the free JSON of an execution. */
const free = sql`json_build_array(results, body -> 'ranBy')`;

const FreeJson = z.tuple([z.unknown(), z.custom<RanBy | null>()]);
const HeldRow = z.strictObject({ id: z.string(), body: FreeJson });

/** Results, and members of the starting user, of executions that other people started. */
export const agentExecutionJson: JsonRecords = {
  kind: 'agentExecution',
  table: 'agent_execution',
  column: 'results',
  judged: sql`json_build_array(t.results, t.body -> 'ranBy')`,
  organization: 'org_id',
  countedElsewhere: () => sql`false`,
  names(body, identifiers) {
    const [results, ranBy] = body as z.infer<typeof FreeJson>;
    return containsPeople(results, identifiers) || containsPeople(ranBy, identifiers, 'free');
  },
  async scrub(em, { tenantId }, identifiers, ids) {
    const held = await rowsOf(
      em,
      HeldRow,
      sql`select id, ${free} as body from agent_execution where id = any(${ids}::bigint[]) and api_key_id + 0 = ${tenantId}
        order by id for update`,
    );
    const results = held.map(({ body: [value] }) => withoutPeople(value, identifiers));
    const starters = held.map(
      ({ body: [, ranBy] }) => ranBy && withoutPeopleInside(ranBy, identifiers, 'free'),
    );
    const found = held.map(({ id }) => id);
    await sql`update agent_execution t set results = s.results::json, body = jsonb_set(t.body::jsonb, '{ranBy}', s.ran_by::jsonb)::json
      from unnest(${found}::bigint[], ${results.map((left) => (left === undefined || left === null ? null : JSON.stringify(left)))}::text[],
        ${starters.map((left) => JSON.stringify(left))}::text[]) as s (id, results, ran_by)
      where t.id = s.id and t.id = any(${found}::bigint[]) and t.api_key_id + 0 = ${tenantId}`.execute(
      tablesOf(em),
    );
    return held.length;
  },
};
