import { sql, type RawBuilder } from 'kysely';
import { changedBy } from '../../platform/database/statements.ts';
import type { ContainerRecords, RemoveContainerRecords } from '../documents/record-kind.ts';

const batchRows = 5_000;

/** Group members of an organization, then its groups. */
export const containerGroups: readonly ContainerRecords[] = [
  {
    organizations: removal(
      'user_group_member',
      ['group_id', 'user_ext'],
      (organizations) => sql`group_id in (select id from user_group where org_id = any(${organizations}))`,
    ),
  },
  { organizations: removal('user_group', ['id'], (organizations) => sql`org_id = any(${organizations})`) },
];

function removal(
  table: 'user_group' | 'user_group_member',
  key: readonly string[],
  among: (organizations: readonly string[]) => RawBuilder<unknown>,
): RemoveContainerRecords {
  const same = key.map((column) => sql`t.${sql.ref(column)} = n.${sql.ref(column)}`);
  return (em, tenantId, organizations) =>
    changedBy(
      em,
      sql`with next as materialized (
          select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(table)}
          where api_key_id = ${tenantId} and ${among(organizations)} limit ${sql.lit(batchRows)})
        delete from ${sql.table(table)} t using next n
        where t.api_key_id = ${tenantId} and ${sql.join(same, sql` and `)}`,
    );
}
