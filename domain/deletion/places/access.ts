import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { anyOfPeople, anyRows, stepOf, walk, WalkedRow, type PersonIndex } from './person-index.ts';
import type { PersonPlace } from './place.ts';

/** Rows a step. */
const chunk = { count: 50_000, remove: 5_000 } as const;

const index: PersonIndex = {
  table: 'access',
  columns: ['user_id', 'kind', 'resource_id'],
  organization: { column: 'org_id' },
};

const CountedRow = WalkedRow.extend({ memberships: z.number(), grants: z.number() });

const counted = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select count(*)::integer from ${rows} where is_member) as memberships,
   (select count(*)::integer from ${rows} where grant_role is not null) as grants`;

/** Memberships and grants, which stand side by side in a row (by the primary key). Contact lists are made of the former. */
export const access: PersonPlace = {
  name: 'access',
  kinds: ['memberships', 'grants'],
  async remove(em, scope, after) {
    const walked = await walk(em, index, scope, after, {
      limit: chunk.remove,
      row: CountedRow,
      act: sql`gone as (
        delete from access t where t.ctid = any(array(select spot from next))
          and t.user_id = ${anyOfPeople(scope.users)} and t.api_key_id = ${scope.tenantId}
        returning is_member, grant_role)`,
      select: counted(sql`gone`),
    });
    return stepOf(walked, chunk.remove, countsOf(walked));
  },
  async count(em, scope, after) {
    const walked = await walk(em, index, scope, after, {
      limit: chunk.count,
      row: CountedRow,
      also: sql`t.is_member, t.grant_role`,
      select: counted(sql`next`),
    });
    return stepOf(walked, chunk.count, countsOf(walked));
  },
  remains: async (em, scope) => anyRows(em, index, scope),
};

const countsOf = (counts: z.infer<typeof CountedRow> | undefined) =>
  counts === undefined ? {} : { memberships: counts.memberships, grants: counts.grants };
