import { anyRows, stepOf, walk, type PersonIndex } from './person-index.ts';
import type { PersonPlace } from './place.ts';

/** Rows a step. */
const chunk = { count: 50_000, remove: 5_000 } as const;

const index: PersonIndex = {
  table: 'access',
  columns: ['user_id', 'kind', 'resource_id'],
  organization: { column: 'org_id' },
};

interface Counts {
  readonly memberships: number;
  readonly grants: number;
}

const counted = (rows: string): string =>
  `(select count(*)::integer from ${rows} where is_member) as memberships,
   (select count(*)::integer from ${rows} where grant_role is not null) as grants`;

/** Memberships and grants, which stand side by side in a row (by the primary key). Contact lists are made of the former. */
export const access: PersonPlace = {
  name: 'access',
  kinds: ['memberships', 'grants'],
  async remove(em, scope, after) {
    const walked = await walk<Counts>(em, index, scope, after, {
      limit: chunk.remove,
      act: `gone as (
        delete from access t where t.ctid = any(array(select spot from next)) and t.user_id = any($1::bigint[]) and t.api_key_id = $2
        returning is_member, grant_role)`,
      select: counted('gone'),
    });
    return stepOf(walked, chunk.remove, countsOf(walked));
  },
  async count(em, scope, after) {
    const walked = await walk<Counts>(em, index, scope, after, {
      limit: chunk.count,
      also: ['is_member', 'grant_role'],
      select: counted('next'),
    });
    return stepOf(walked, chunk.count, countsOf(walked));
  },
  remains: async (em, scope) => anyRows(em, index, scope),
};

const countsOf = (counts: Counts | undefined) =>
  counts === undefined ? {} : { memberships: counts.memberships, grants: counts.grants };
