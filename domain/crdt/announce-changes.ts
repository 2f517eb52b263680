import { sql } from 'kysely';
import { recordEvents } from '../events/record-events.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { eventColumns, EventRow, eventsOf, eventSource } from './record-event.ts';

const atOnce = 500;

/** Batches of one turn; the next turn takes what is left. */
const maxBatches = 40;

/** Makes the events that are due, one a record however often it was written. A record that is being written now is passed by. */
export async function announceChanges(orm: Orm): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const taken = await inTransaction(orm, async (em) => {
      const due = await rowsOf(
        em,
        EventRow,
        sql`with due as (
            select crdt_id from crdt_event where due_at <= now() order by due_at limit ${sql.lit(atOnce)} for update skip locked),
          taken as (delete from crdt_event e using due where e.crdt_id = due.crdt_id returning e.crdt_id)
          select ${eventColumns} from taken e ${eventSource}`,
      );
      for (const [tenantId, records] of Map.groupBy(due, ({ api_key_id }) => api_key_id)) {
        await recordEvents(em, tenantId, eventsOf(records));
      }
      return due.length;
    });
    if (taken < atOnce) return;
  }
}
