import { row, rows } from '../../../platform/database/sql.ts';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';

/** Endpoints that one turn looks after, and rows of each kind that it removes; the next turn takes what is left. */
const atOnce = { endpoints: 10, rows: 5_000 } as const;

/**
 * Removes what hangs on endpoints that were deleted, and then their rows. A minute after the deletion, when what was under
 * way has ended: an attempt takes a quarter of it.
 */
export async function clearDeletedEndpoints(orm: Orm): Promise<void> {
  const deleted = await rows<{ id: string }>(
    orm.em.fork(),
    `select id from webhook_endpoint where deleted_at < now() - interval '1 minute' order by deleted_at
     limit ${String(atOnce.endpoints)}`,
  );
  for (const { id } of deleted) await inTransaction(orm, async (em) => clearEndpoint(em, id));
}

async function clearEndpoint(em: EntityManager, endpoint: string): Promise<void> {
  const removed = await row<{ rows: number }>(
    em,
    `with old_deliveries as (
       select event_at, event_id from delivery where endpoint_id = $1 limit ${String(atOnce.rows)}),
     deliveries as (
       delete from delivery where endpoint_id = $1 and event_at = any(array(select event_at from old_deliveries))
         and event_id = any(array(select event_id from old_deliveries)) returning 1),
     old_attempts as (
       select event_id, at from attempt where endpoint_id = $1 limit ${String(atOnce.rows)}),
     attempts as (
       delete from attempt where endpoint_id = $1 and event_id = any(array(select event_id from old_attempts))
         and at = any(array(select at from old_attempts)) returning 1)
     select ((select count(*) from deliveries) + (select count(*) from attempts))::int as rows`,
    [endpoint],
  );
  if (removed === undefined || removed.rows > 0) return;
  await rows(em, 'delete from webhook_drain where endpoint_id = $1', [endpoint]);
  await rows(em, 'delete from webhook_endpoint where id = $1 and deleted_at is not null', [endpoint]);
}
