import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { anyOfPeople, hasRows, stepOf, runBatch, BatchRow, type PersonIndex } from './person-index.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/** Rows per batch. */
const chunk = { count: 50_000, remove: 5_000 } as const;

const index: PersonIndex = {
  table: 'access',
  columns: ['user_id', 'kind', 'resource_id'],
  organization: { column: 'org_id' },
};

const CountedRow = BatchRow.extend({ memberships: z.number(), grants: z.number() });

const counted = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select count(*)::integer from ${rows} where is_member) as memberships,
   (select count(*)::integer from ${rows} where grant_role is not null) as grants`;

/** Memberships and grants, two columns of one row, by the primary key. Contact lists are derived from memberships. */
export const access: PersonalDataStore = {
  name: 'access',
  kinds: ['memberships', 'grants'],
  async remove(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, {
      limit: chunk.remove,
      row: CountedRow,
      act: sql`gone as (
        delete from access t where t.ctid = any(array(select tid from next))
          and t.user_id = ${anyOfPeople(scope.users)} and t.api_key_id = ${scope.tenantId}
        returning is_member, grant_role)`,
      select: counted(sql`gone`),
    });
    return stepOf(batch, chunk.remove, countsOf(batch));
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, {
      limit: chunk.count,
      row: CountedRow,
      also: sql`t.is_member, t.grant_role`,
      select: counted(sql`next`),
    });
    return stepOf(batch, chunk.count, countsOf(batch));
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};

const countsOf = ({ memberships, grants }: z.infer<typeof CountedRow>) => ({ memberships, grants });
