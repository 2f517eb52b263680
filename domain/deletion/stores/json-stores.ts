import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { agentExecutionJson } from './agent-executions.ts';
import { threadJson } from './comments/threads.ts';
import { containsPeople } from './contains-people.ts';
import { jsonTables, type JsonTable } from './json-tables.ts';
import { indexedNamesOf } from './addresses.ts';
import type { IdentifiedScope, StoreCursor, PersonalDataStore, PersonScope } from './personal-data-store.ts';
import { scrubRecords } from './scrub-records.ts';
import { scrubbedKinds, type ScrubbedKind } from './scrubbed-kinds.ts';
import { batchByName, type JsonRecords } from './batch-by-name.ts';
import { withoutPeople, type PersonIdentifiers } from './without-people.ts';

const ofTable = (of: JsonTable): JsonRecords => ({
  ...of,
  countedElsewhere: () => sql`false`,
  names: containsPeople,
  async scrub(em, scope, identifiers, ids) {
    const [table, column] = [sql.table(of.table), sql.ref(of.column)];
    const held = await rowsOf(
      em,
      HeldRow,
      sql`select id, ${column} as body from ${table} where id = any(${ids}::bigint[]) and api_key_id + 0 = ${scope.tenantId}
        order by id for update`,
    );
    const left = held.map(({ id, body }) => [id, withoutPeople(body, identifiers)] as const);
    const found = left.map(([id]) => id);
    const bodies = left.map(([, body]) => JSON.stringify(body ?? {}));
    await sql`update ${table} t set ${column} = s.body::${sql.raw(of.type)}
      from unnest(${found}::bigint[], ${bodies}::text[]) as s (id, body)
      where t.id = s.id and t.id = any(${found}::bigint[]) and t.api_key_id + 0 = ${scope.tenantId}`.execute(
      tablesOf(em),
    );
    return held.length;
  },
});

const HeldRow = z.strictObject({ id: z.string(), body: z.unknown() });
const JudgedRow = HeldRow.extend({ elsewhere: z.boolean() });

const ofRecords = (kind: ScrubbedKind): JsonRecords => ({
  kind: kind.name,
  table: kind.name,
  column: 'body',
  organization: 'org_id',
  countedElsewhere({ users }) {
    const people = users.map(({ id }) => id);
    return sql`(t.mentioned && ${people}::bigint[] or ${sql.ref(`t.${kind.author}`)} = any(${people}::bigint[]))`;
  },
  names: (body, identifiers) => kind.names(body, identifiers),
  scrub: async (em, scope, identifiers, ids) =>
    (await scrubRecords(em, scope, identifiers, kind, ids)).length,
});

/** Returns the records among these that name the people. Locks nothing. */
export async function recordsNaming(
  em: EntityManager,
  { table, column, countedElsewhere, names, judged = sql.ref(`t.${column}`) }: JsonRecords,
  scope: PersonScope,
  identifiers: PersonIdentifiers,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly elsewhere: boolean }[]> {
  if (ids.length === 0) return [];
  const held = await rowsOf(
    em,
    JudgedRow,
    sql`select t.id, ${judged} as body, ${countedElsewhere(scope)} as elsewhere from ${sql.table(table)} t
      where t.id = any(${ids}::bigint[]) and t.api_key_id + 0 = ${scope.tenantId} order by t.id`,
  );
  return held.filter(({ body }) => names(body, identifiers));
}

/**
 * Free JSON of records that are kept, by json_name and the records' primary key: objects with a `userId`, and keys, at
 * any depth. Addresses match in any letter case. Must follow the stores that remove records.
 */
function jsonStore(of: JsonRecords): PersonalDataStore {
  const found = async (em: EntityManager, scope: IdentifiedScope, after: StoreCursor | null) => {
    const { named, identifiers } = scope;
    const { ids, last } = await batchByName(em, of, scope, indexedNamesOf(identifiers), after);
    return { last, records: await recordsNaming(em, of, named, identifiers, ids) };
  };
  return {
    name: `${of.kind}Json`,
    kinds: ['mentions'],
    async remove(em, scope, after) {
      const { last, records } = await found(em, scope, after);
      const ids = records.map(({ id }) => id);
      const mentions = ids.length === 0 ? 0 : await of.scrub(em, scope.named, scope.identifiers, ids);
      return { counts: { mentions }, last };
    },
    async count(em, scope, after) {
      const { last, records } = await found(em, scope, after);
      return { counts: { mentions: records.filter(({ elsewhere }) => !elsewhere).length }, last };
    },
    async remains(em, scope, after) {
      const { last, records } = await found(em, scope, after);
      return { any: records.length > 0, last };
    },
  };
}

export const jsonRecords: readonly JsonRecords[] = [
  ...scrubbedKinds.map(ofRecords),
  agentExecutionJson,
  ...jsonTables.map(ofTable),
  ...threadJson,
];

export const jsonStores: readonly PersonalDataStore[] = jsonRecords.map(jsonStore);
