import { activityLogKind } from '../../activity-logs/activity-log.ts';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { collectRows } from '../../../platform/database/planner.ts';
import { changedBy, rowOf } from '../../../platform/database/statements.ts';
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

/** Rows a step. Removing takes about 50 ms, and locks only what nobody else may write meanwhile. */
const chunk = { count: 100_000, remove: 50_000 } as const;

const index: PersonIndex = {
  table: 'activity',
  columns: ['actor_id', 'org_id', 'ts', 'id'],
  organization: { column: 'org_id' },
};

/** For what reads the index alone, in which the tenant does not stand. */
const entries: PersonIndex = { ...index, ofTenant: () => sql`true` };

const key = sql`t.actor_id, t.org_id, t.ts, t.id`;

/**
 * Activity logs of what a person did, of every feature (by activity_actor), with what says whom they name. There may be
 * millions. So a step first finds where it ends, by the index alone, and then deletes a range or whole people: that costs
 * little more than one DELETE of everything, where deleting rows that were selected costs twice as much.
 */
export const activities: PersonalDataStore = {
  name: 'activities',
  kinds: ['activities'],
  async remove(em, scope, after) {
    const users = remainingUsers(scope, after);
    const [first] = users;
    if (first === undefined) return { counts: {}, last: null };
    const begun = after !== null && after.length > 1 ? after : null;
    const end = await endOfStep(em, scope, begun === null ? users : [first], begun);
    if (begun !== null || end?.[0] === first.id) {
      const from = begun ?? nearest(first);
      const wanted = { rows: inRange(scope, from, end ?? farthest(from)), naming: byNaming };
      const removed = await removeWhere(em, scope, wanted);
      return { counts: { activities: removed }, last: end ?? startOf(users[1]) };
    }
    const ended = end === null ? users.length : users.findIndex(({ id }) => id === end[0]);
    const removed = await removeWhere(em, scope, ofPeople(scope, users.slice(0, ended)));
    return { counts: { activities: removed }, last: startOf(users[ended]) };
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
    return stepOf(batch, chunk.count, { activities: batch?.found ?? 0 });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};

const startOf = (person: Person | undefined): StoreCursor | null =>
  person === undefined ? null : [person.id];

/** The last row that one step may take; null when it may take all there are. */
async function endOfStep(
  em: EntityManager,
  scope: PersonScope,
  users: readonly Person[],
  after: StoreCursor | null,
): Promise<StoreCursor | null> {
  const rowsOf =
    after === null
      ? rowsOfPeople(entries, scope, users, { columns: key })
      : sql`activity t where ${inRange(scope, after, farthest(after), entries)} order by ${key}`;
  const found = await rowOf(
    em,
    EndRow,
    sql`select (select array[${key}]::text[] from (
         select ${key} from ${rowsOf} offset ${sql.lit(chunk.remove - 1)} limit 1) as t) as end,
       ${collectRows}`,
  );
  return found?.end ?? null;
}

const EndRow = z.strictObject({ end: z.array(z.string()).nullable(), set_config: z.string() });

/** SQL conditions on `t`: the rows to remove, and which of them name someone. */
interface Wanted {
  readonly rows: RawBuilder<unknown>;
  readonly naming: RawBuilder<unknown>;
}

/** As activity_naming knows them. */
const byNaming = sql`t.mentioned <> '{}'`;

/**
 * All rows of these people. Of named organizations they are looked up first: see `rowsOfPeople`. Then they are asked whom
 * they name in words that activity_naming does not know: while few records name someone, PostgreSQL would rather read the
 * whole of that index.
 */
const ofPeople = (scope: PersonScope, people: readonly Person[]): Wanted =>
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

/** Behind `from` and up to `to`. Of the indexes of the table only activity_actor begins with the person: no other can serve this. */
const inRange = (
  scope: PersonScope,
  from: StoreCursor,
  to: StoreCursor,
  of: PersonIndex = index,
): RawBuilder<unknown> =>
  sql`(${key}) > (${values(from)}) and (${key}) <= (${values(to)}) and ${inScope(of, scope, 'in range')}`;

const values = (position: StoreCursor): RawBuilder<unknown> =>
  sql.join(position.map((value) => sql`${value}::bigint`));

const [lowest, highest] = ['-9223372036854775808', '9223372036854775807'];
const nearest = ({ id }: Person): StoreCursor => [id, lowest, lowest, lowest];
const farthest = ([id = '']: StoreCursor): StoreCursor => [id, highest, highest, highest];

/** Records, and by its own key each row that says whom they name. */
async function removeWhere(
  em: EntityManager,
  { tenantId }: PersonScope,
  { rows, naming }: Wanted,
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
