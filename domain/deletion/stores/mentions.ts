import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { tablesOf } from '../../tables.ts';
import { hasRows, stepOf, runBatch, BatchRow, type PersonIndex } from './person-index.ts';
import type { StoreCursor, PersonalDataStore, PersonScope } from './personal-data-store.ts';
import { scrubRecords } from './scrub-records.ts';
import { scrubbedKinds } from './scrubbed-kinds.ts';
import { batchBySize } from './batch-by-size.ts';
import type { PersonIdentifiers } from './without-people.ts';

/** Rows per counted batch. */
const countedRows = 20_000;

const index: PersonIndex = {
  table: 'record_user',
  columns: ['user_id', 'kind', 'record_id'],
  organization: { column: 'org_id' },
};

const tableOf = (
  each: (table: RawBuilder<unknown>, author: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const cases = scrubbedKinds.map(
    ({ number, name, author }) =>
      sql`when ${sql.lit(number)} then (${each(sql.table(name), sql.ref(`r.${author}`))})`,
  );
  return sql`case n.kind ${sql.join(cases, sql` `)} end`;
};

const stored = tableOf(
  (table) => sql`select octet_length(r.body::text) from ${table} r where r.id = n.record_id`,
);

/** Whether a mention counts. Records of a deleted actor are counted by the store that removes them. */
const isCounted = ({ users }: PersonScope): RawBuilder<unknown> =>
  tableOf(
    (
      table,
      author,
    ) => sql`select n.user_id = any(r.mentioned) and ${author} <> all(${users.map(({ id }) => id)}::bigint[])
      from ${table} r where r.id = n.record_id`,
  );

/**
 * Mentions of a person in other people's records, by the primary key of record_user: `notifyUsers` and any object with a
 * `userId`. The records are kept without them. Must follow the stores of records that the person caused, and precede
 * `notificationsReceived` and comments, which delete other people's notifications.
 */
export const mentions: PersonalDataStore = {
  name: 'mentions',
  kinds: ['mentions'],
  async remove(em, { named, identifiers }, after) {
    const { rows, last } = await batchBySize(em, index, named, after, stored);
    return { counts: { mentions: await scrub(em, named, identifiers, rows) }, last };
  },
  async count(em, { named }, after) {
    const batch = await runBatch(em, index, named, after, {
      limit: countedRows,
      row: BatchRow.extend({ mentions: z.number() }),
      select: sql`(select count(*)::integer from next n where ${isCounted(named)}) as mentions`,
    });
    return stepOf(batch, countedRows, { mentions: batch.mentions });
  },
  remains: async (em, { named }) => hasRows(em, index, named),
};

/**
 * Returns the number of mentions removed. Also deletes `record_user` rows of records that were deleted or that no longer
 * name the person.
 */
async function scrub(
  em: EntityManager,
  scope: PersonScope,
  identifiers: PersonIdentifiers,
  rows: readonly StoreCursor[],
): Promise<number> {
  const people = new Set(scope.users.map(({ id }) => id));
  let count = 0;
  for (const kind of scrubbedKinds) {
    const ids = rows.flatMap(([, number, record = '']) => (number === String(kind.number) ? [record] : []));
    if (ids.length === 0) continue;
    for (const { mentioned } of await scrubRecords(em, scope, identifiers, kind, ids))
      count += mentioned.filter((id) => people.has(id)).length;
  }
  await sql`delete from record_user r using unnest(${rows.map(([user]) => user)}::bigint[],
      ${rows.map(([, kind]) => kind)}::smallint[], ${rows.map(([, , record]) => record)}::bigint[]) as n (user_id, kind, record_id)
    where r.user_id = n.user_id and r.kind = n.kind and r.record_id = n.record_id and r.api_key_id = ${scope.tenantId}`.execute(
    tablesOf(em),
  );
  return count;
}
