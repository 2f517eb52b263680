import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { collectRows } from '../../../platform/database/planner.ts';
import { changedBy, onlyRowOf } from '../../../platform/database/statements.ts';
import { maxBigint, minBigint } from '../../bigint-range.ts';
import { activityLogKind } from '../../activity-logs/activity-log.ts';
import {
  anyOfPeople,
  hasRows,
  inScope,
  rowsOfPeople,
  stepOf,
  remainingUsers,
  runBatch,
  BatchRow,
  type PersonIndex,
} from './person-index.ts';
import type { Person, StoreCursor, PersonalDataStore, PersonScope } from './personal-data-store.ts';

/** Max rows of a batch that counts, and of one that removes. */
interface Chunk {
  readonly count: number;
  readonly remove: number;
}

const index: PersonIndex = {
  table: 'activity',
  columns: ['actor_id', 'org_id', 'ts', 'id'],
  organization: { column: 'org_id' },
};

/** For index-only scans: the index does not contain the tenant. */
const entries: PersonIndex = { ...index, ofTenant: () => sql`true` };

const key = sql`t.actor_id, t.org_id, t.ts, t.id`;

/**
 * Activity logs that a person caused, of every feature, by activity_actor; `record_user` rows are deleted with them. A
 * batch first finds its end by an index-only scan, then deletes a range or all rows of people. This costs half as much
 * as deleting selected rows.
 */
export const activitiesInChunks = (chunk: Chunk): PersonalDataStore => ({
  name: 'activities',
  kinds: ['activities'],
  async remove(em, scope, after) {
    const users = remainingUsers(scope, after);
    const [first] = users;
    if (first === undefined) return { counts: {}, last: null };
    const begun = after !== null && after.length > 1 && after[0] === first.id ? after : null;
    const end = await endOfStep(em, scope, begun === null ? users : [first], begun, chunk.remove);
    if (begun !== null || end?.[0] === first.id) {
      const from = begun ?? firstCursor(first);
      const range = { rows: inRange(scope, from, end ?? lastCursor(from)), naming: byNaming };
      const removed = await removeWhere(em, scope, range);
      return { counts: { activities: removed }, last: end ?? startOf(users[1]) };
    }
    const ended = end === null ? users.length : users.findIndex(({ id }) => id === end[0]);
    const removed = await removeWhere(em, scope, ofPeople(scope, users.slice(0, ended)));
    return { counts: { activities: removed }, last: startOf(users[ended]) };
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
    return stepOf(batch, chunk.count, { activities: batch.found });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
});

/** Removing a batch takes about 50 ms and locks only rows of fenced users. */
export const activities = activitiesInChunks({ count: 100_000, remove: 50_000 });

const startOf = (person: Person | undefined): StoreCursor | null =>
  person === undefined ? null : [person.id];

/** The last row of the next batch of `rows`; null when the batch may delete all remaining rows. */
async function endOfStep(
  em: EntityManager,
  scope: PersonScope,
  users: readonly Person[],
  after: StoreCursor | null,
  rows: number,
): Promise<StoreCursor | null> {
  const rowsOf =
    after === null
      ? rowsOfPeople(entries, scope, users, { columns: key })
      : sql`activity t where ${inRange(scope, after, lastCursor(after), entries)} order by ${key}`;
  const { end } = await onlyRowOf(
    em,
    EndRow,
    sql`select (select array[${key}]::text[] from (
         select ${key} from ${rowsOf} offset ${sql.lit(rows - 1)} limit 1) as t) as end,
       ${collectRows}`,
  );
  return end;
}

const EndRow = z.strictObject({ end: z.array(z.string()).nullable(), set_config: z.string() });

/** SQL conditions on `t`: the rows to remove, and those among them that name people. */
interface RowsToRemove {
  readonly rows: RawBuilder<unknown>;
  readonly naming: RawBuilder<unknown>;
}

/** The condition of the partial index activity_naming. */
const byNaming = sql`t.mentioned <> '{}'`;

/**
 * All rows of these people. In named organizations `rowsOfPeople` looks the rows up first. `naming` then avoids the
 * condition of activity_naming: while that index is small, PostgreSQL would scan all of it.
 */
const ofPeople = (scope: PersonScope, people: readonly Person[]): RowsToRemove =>
  scope.organizations === null
    ? {
        rows: sql`t.actor_id = ${anyOfPeople(people)} and ${inScope(index, scope, 'of people')}`,
        naming: byNaming,
      }
    : {
        rows: sql`t.ctid = any(array(select t.tid from ${rowsOfPeople(index, scope, people, { columns: sql`t.ctid as tid` })}))
       and t.actor_id + 0 = ${anyOfPeople(people)} and t.api_key_id = ${scope.tenantId}`,
        naming: sql`cardinality(t.mentioned) > 0`,
      };

/** The rows after `from`, up to and including `to`. Only activity_actor serves this condition. */
const inRange = (
  scope: PersonScope,
  from: StoreCursor,
  to: StoreCursor,
  of: PersonIndex = index,
): RawBuilder<unknown> =>
  sql`(${key}) > (${values(from)}) and (${key}) <= (${values(to)}) and ${inScope(of, scope, 'in range')}`;

const values = (position: StoreCursor): RawBuilder<unknown> =>
  sql.join(position.map((value) => sql`${value}::bigint`));

const firstCursor = ({ id }: Person): StoreCursor => [id, minBigint, minBigint, minBigint];
const lastCursor = ([id = '']: StoreCursor): StoreCursor => [id, maxBigint, maxBigint, maxBigint];

/** Removes activity logs, and by primary key the `record_user` rows of the people they name. */
async function removeWhere(
  em: EntityManager,
  { tenantId }: PersonScope,
  { rows, naming }: RowsToRemove,
): Promise<number> {
  return changedBy(
    em,
    sql`with named as materialized (select t.id, t.mentioned from activity t where ${rows} and ${naming}),
     unnamed as (
       delete from record_user where ctid = any(array(
         select r.ctid from named n cross join lateral unnest(n.mentioned) as u (user_id) cross join lateral (
           select r.ctid from record_user r
           where r.user_id = u.user_id and r.kind = ${activityLogKind} and r.record_id = n.id and r.api_key_id = ${tenantId}
           offset 0) r)))
     delete from activity t where ${rows}`,
  );
}
