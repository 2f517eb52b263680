import type { PlaceRecords, RemovePlaceRecords } from '../cascade/place-records.ts';
import { row } from '../../platform/database/sql.ts';

const chunk = 5_000;

/** Who is in the groups of an organization, then the groups. */
export const groupsOfPlaces: readonly PlaceRecords[] = [
  {
    organizations: removal(
      'user_group_member',
      ['group_id', 'user_ext'],
      'group_id in (select id from user_group where org_id = any($1))',
    ),
  },
  { organizations: removal('user_group', ['id'], 'org_id = any($1)') },
];

function removal(table: string, key: readonly string[], condition: string): RemovePlaceRecords {
  const same = key.map((column) => `t.${column} = n.${column}`).join(' and ');
  return async (em, tenantId, organizations) => {
    const found = await row<{ records: number }>(
      em,
      `with next as materialized (
         select ${key.join(', ')} from ${table} where api_key_id = $2 and ${condition} limit ${String(chunk)}),
       gone as (delete from ${table} t using next n where t.api_key_id = $2 and ${same} returning 1)
       select count(*)::integer as records from gone`,
      [organizations, tenantId],
    );
    return found?.records ?? 0;
  };
}
