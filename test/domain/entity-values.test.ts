import { describe, expect, it } from '@jest/globals';
import type { EntityMetadata, EntityProperty } from '@mikro-orm/postgresql';
import { KeyConfiguration } from '../../domain/configuration/key-configuration.entity.ts';
import { entities } from '../../domain/entities.ts';
import { tablesOf } from '../../domain/tables.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { anOpenDatabase } from '../support/open-database.ts';

const { database, orm } = await anOpenDatabase({ entities });

/** A SQL value of each column type, and the expected JavaScript value. Surrogate keys are 1: each table's first row. */
const values: Readonly<Record<string, readonly [sql: string, value: unknown]>> = {
  bigint: ['1', '1'],
  bigserial: ['1', '1'],
  smallint: ['1', 1],
  int: ['1', 1],
  'double precision': ['1.5', 1.5],
  text: [`'text'`, 'text'],
  uuid: [`'00000000-0000-4000-8000-000000000001'`, '00000000-0000-4000-8000-000000000001'],
  boolean: ['true', true],
  bytea: [`'\\x00ff'`, Buffer.from([0, 255])],
  timestamptz: [`'2026-11-22T10:00:00Z'`, new Date('2026-11-22T10:00:00Z')],
  json: [`'{"a":[1]}'`, { a: [1] }],
  jsonb: [`'{"a":[1]}'`, { a: [1] }],
  'text[]': [`'{a,b}'`, ['a', 'b']],
  'bigint[]': [`'{1,2}'`, ['1', '2']],
};

const typeOf = ({ columnTypes }: EntityProperty) => columnTypes[0] ?? '';

const expected = (property: EntityProperty): unknown => values[typeOf(property)]?.[1];

/** Columns that a statement may write. A folder cannot be its own parent. */
const written = ({ tableName, props }: EntityMetadata) =>
  props.filter(
    ({ generated, fieldNames: [column] }) =>
      generated === undefined && `${tableName}.${column}` !== 'folder.parent_id',
  );

// Migrations insert rows into these tables.
await database.sql('delete from json_name_build');
await database.sql('delete from audit_retention');

describe('a row as its entity', () => {
  // In foreign key order.
  const tables = entities.map((entity) => orm.em.getMetadata().get(entity.meta.class));

  it.each(tables.map((table) => [table.tableName, table] as const))(
    'of %s holds values of the declared types',
    async (name, table) => {
      const properties = written(table);
      await database.sql(
        `insert into ${name} (${properties.map(({ fieldNames }) => fieldNames[0]).join(', ')})
         values (${properties.map((property) => values[typeOf(property)]?.[0]).join(', ')})`,
      );
      const em = orm.em.fork();
      const stored = await tablesOf(em)
        .selectFrom(name as 'job')
        .selectAll()
        .executeTakeFirstOrThrow();
      expect(stored).toMatchObject(
        Object.fromEntries(properties.map((property) => [property.fieldNames[0], expected(property)])),
      );
      const [row] = await em.find<Record<string, unknown>>(table.class, {});
      expect(properties.map((property) => [property.name, row?.[property.name]])).toEqual(
        properties.map((property) => [property.name, expected(property)]),
      );
    },
  );

  it('is found by a key that refers to another row, and written when it changes', async () => {
    await database.sql('delete from key_config');
    const key = { apiKeyId: '1', kind: 'activity' } as const;
    await inTransaction(orm, async (em) => {
      em.create(KeyConfiguration, { ...key, config: { isEnabled: false } });
    });
    await inTransaction(orm, async (em) => {
      const found = await em.findOneOrFail(KeyConfiguration, key);
      found.config = { isEnabled: true };
      found.version += 1;
    });
    expect(await database.sql('select api_key_id, kind, config, version from key_config')).toEqual([
      { api_key_id: '1', kind: 'activity', config: { isEnabled: true }, version: 2 },
    ]);
  });
});
