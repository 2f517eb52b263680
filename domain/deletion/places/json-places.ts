import type { EntityManager } from '../../../platform/database/orm.ts';
import { rows } from '../../../platform/database/sql.ts';
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
  /** SQL: a record `t` that another place counts. `$3`: the people. */
  readonly countedElsewhere: string;
}

const ofTable = (of: JsonTable): JsonRecords => ({
  ...of,
  countedElsewhere: 'false',
  names: findsPeople,
  async scrub(em, scope, unwanted, ids) {
    const held = await rows<{ id: string; body: unknown }>(
      em,
      `select id, ${of.column} as body from ${of.table} where id = any($1::bigint[]) and api_key_id + 0 = $2 order by id for update`,
      [ids, scope.tenantId],
    );
    const left = held.map(({ id, body }) => [id, withoutPeople(body, unwanted)] as const);
    await rows(
      em,
      `update ${of.table} t set ${of.column} = s.body::${of.type} from unnest($1::bigint[], $2::text[]) as s (id, body)
       where t.id = s.id and t.id = any($1::bigint[]) and t.api_key_id + 0 = $3`,
      [
        left.map(([id]) => id),
        left.map(([, body]) => (body === undefined ? of.rest : JSON.stringify(body))),
        scope.tenantId,
      ],
    );
    return held.length;
  },
});

const ofRecords = (kind: ScrubbedKind): JsonRecords => ({
  kind: kind.name,
  table: kind.table,
  column: 'body',
  inOrganizations: 't.org_id = any($1::bigint[])',
  countedElsewhere: '(t.mentioned && $3::bigint[] or t.actor_id = any($3::bigint[]))',
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
  const held = await rows<{ id: string; body: unknown; elsewhere: boolean }>(
    em,
    `select t.id, t.${column} as body, ${countedElsewhere} as elsewhere from ${table} t
     where t.id = any($1::bigint[]) and t.api_key_id + 0 = $2 and $3::bigint[] is not null order by t.id`,
    [ids, scope.tenantId, scope.users.map(({ id }) => id)],
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
