import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { tablesOf } from '../../tables.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { findsPeople } from './find-people.ts';
import { jsonTables, type JsonTable } from './json-kinds.ts';
import { namesIn, unwantedOf, withAddresses } from './named-by-address.ts';
import type { PersonCursor, PersonPlace, PersonScope } from './place.ts';
import { scrubRecords } from './scrub-records.ts';
import { scrubbedKinds, type ScrubbedKind } from './scrubbed-kinds.ts';
import { walkByName, type NamedTable } from './walk-by-name.ts';
import { withoutPeople, type Unwanted } from './without-people.ts';

/** What is done to records of one kind, beside finding them. */
export interface JsonRecords extends NamedTable {
  /** Takes people out of records that name them; answers how many did. */
  scrub(em: EntityManager, scope: PersonScope, unwanted: Unwanted, ids: readonly string[]): Promise<number>;
  readonly names: (body: unknown, unwanted: Unwanted) => boolean;
  /** SQL: a record `t` that another place counts. */
  readonly countedElsewhere: (people: PersonScope) => RawBuilder<unknown>;
}

const ofTable = (of: JsonTable): JsonRecords => ({
  ...of,
  countedElsewhere: () => sql`false`,
  names: findsPeople,
  async scrub(em, scope, unwanted, ids) {
    const [table, column] = [sql.table(of.table), sql.ref(of.column)];
    const held = await rowsOf(
      em,
      HeldRow,
      sql`select id, ${column} as body from ${table} where id = any(${ids}::bigint[]) and api_key_id + 0 = ${scope.tenantId}
        order by id for update`,
    );
    const left = held.map(({ id, body }) => [id, withoutPeople(body, unwanted)] as const);
    const found = left.map(([id]) => id);
    const bodies = left.map(([, body]) => (body === undefined ? of.rest : JSON.stringify(body)));
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
    return sql`(t.mentioned && ${people}::bigint[] or t.actor_id = any(${people}::bigint[]))`;
  },
  names: (body, unwanted) => kind.names(body, unwanted),
  scrub: async (em, scope, unwanted, ids) => (await scrubRecords(em, scope, unwanted, kind, ids)).length,
});

/** Of these records the ones that name the people, without locking anything. */
export async function naming(
  em: EntityManager,
  { table, column, countedElsewhere, names }: JsonRecords,
  scope: PersonScope,
  unwanted: Unwanted,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly elsewhere: boolean }[]> {
  if (ids.length === 0) return [];
  const held = await rowsOf(
    em,
    JudgedRow,
    sql`select t.id, ${sql.ref(`t.${column}`)} as body, ${countedElsewhere(scope)} as elsewhere from ${sql.table(table)} t
      where t.id = any(${ids}::bigint[]) and t.api_key_id + 0 = ${scope.tenantId} order by t.id`,
  );
  return held.filter(({ body }) => names(body, unwanted));
}

/**
 * Free JSON that stays, by the index of names (json_name, then the primary key of the records): objects with a `userId` and keys at
 * any depth, whatever the letter case of an address. Goes behind the places that remove records.
 */
function jsonPlace(of: JsonRecords): PersonPlace {
  const found = async (em: EntityManager, scope: PersonScope, after: PersonCursor | null) => {
    const people = await withAddresses(em, scope);
    const unwanted = await unwantedOf(em, scope);
    const { ids, last } = await walkByName(em, of, scope, namesIn(unwanted), after);
    return { last, unwanted, people, records: await naming(em, of, people, unwanted, ids) };
  };
  return {
    name: `${of.kind}Json`,
    kinds: ['mentions'],
    async remove(em, scope, after) {
      const { last, unwanted, people, records } = await found(em, scope, after);
      const ids = records.map(({ id }) => id);
      const mentions = ids.length === 0 ? 0 : await of.scrub(em, people, unwanted, ids);
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
  ...jsonTables.map(ofTable),
];

export const jsonPlaces: readonly PersonPlace[] = jsonRecords.map(jsonPlace);
