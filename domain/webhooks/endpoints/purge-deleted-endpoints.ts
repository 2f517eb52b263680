import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { onlyRowOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';

/** Endpoints per read, and rows per table and transaction. */
const batchSize = { endpoints: 100, rows: 5_000 } as const;

/**
 * Deletes the messages and attempts of deleted endpoints, then the endpoints. Starts one minute after the deletion, because
 * an attempt in flight may take 15 seconds. Deletes a batch of each endpoint in turn, so that one with millions of messages
 * delays no other. Yields after each batch; ends when nothing is left.
 */
export async function* purgeDeletedEndpoints(orm: Orm): AsyncGenerator<void, void> {
  let isLeft = true;
  while (isLeft) {
    isLeft = false;
    for await (const id of deletedEndpoints(orm)) {
      const isGone = await inTransaction(orm, async (em) => clearEndpoint(em, id));
      if (!isGone) isLeft = true;
      yield;
    }
  }
}

/** Yields surrogate keys, in the order of the deletions. */
async function* deletedEndpoints(orm: Orm): AsyncGenerator<string, void> {
  let last: { readonly id: string; readonly deletedAt: string } | undefined;
  do {
    const deleted = tablesOf(orm.em.fork())
      .selectFrom('webhook_endpoint')
      // As text: a Date drops the microseconds.
      .select(['id', sql<string>`deleted_at::text`.as('deletedAt')])
      .where('deleted_at', '<', sql<Date>`now() - interval '1 minute'`);
    const following =
      last === undefined
        ? deleted
        : deleted.where(sql<boolean>`(deleted_at, id) > (${last.deletedAt}::timestamptz, ${last.id})`);
    const page = await following
      .orderBy('deleted_at')
      .orderBy('id')
      .limit(sql.lit(batchSize.endpoints))
      .execute();
    yield* page.map(({ id }) => id);
    last = page.at(-1);
  } while (last !== undefined);
}

const RemovedRow = z.strictObject({ rows: z.number() });

/** Deletes a batch, or the endpoint when it has no rows; returns whether it is gone. Reads rows by one list, and joins it: before PostgreSQL 17, two lists would be searched for all of their pairs. */
async function clearEndpoint(em: EntityManager, endpoint: string): Promise<boolean> {
  const { rows } = await onlyRowOf(
    em,
    RemovedRow,
    sql`with old_deliveries as (
        select event_at, event_id from delivery where endpoint_id = ${endpoint} limit ${sql.lit(batchSize.rows)}),
      deliveries as (
        delete from delivery d using old_deliveries o
        where d.endpoint_id = ${endpoint} and d.event_at = o.event_at and d.event_id = o.event_id
          and d.event_at = any(array(select event_at from old_deliveries)) returning 1),
      old_attempts as (
        select event_id, at from attempt where endpoint_id = ${endpoint} limit ${sql.lit(batchSize.rows)}),
      attempts as (
        delete from attempt a using old_attempts o
        where a.endpoint_id = ${endpoint} and a.event_id = o.event_id and a.at = o.at
          and a.event_id = any(array(select event_id from old_attempts)) returning 1)
      select ((select count(*) from deliveries) + (select count(*) from attempts))::int as rows`,
  );
  if (rows > 0) return false;
  const tables = tablesOf(em);
  await tables.deleteFrom('webhook_drain').where('endpoint_id', '=', endpoint).execute();
  const gone = await tables
    .deleteFrom('webhook_endpoint')
    .where('id', '=', endpoint)
    .where('deleted_at', 'is not', null)
    .returning('api_key_id')
    .executeTakeFirst();
  if (gone === undefined) return true;
  const pause = { api_key_id: gone.api_key_id, endpoint_id: endpoint };
  await tables
    .deleteFrom('webhook_pause')
    .where((row) => row.and(pause))
    .execute();
  return true;
}
