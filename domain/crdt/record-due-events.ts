import { sql } from 'kysely';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { recordEvents } from '../events/record-events.ts';
import { eventColumns, EventRow, eventsOf, eventSource } from './record-event.ts';

const maxBatchRecords = 500;

/** Max batches per call; the next call records the other events. */
const maxBatches = 40;

/** Records due events: one per record, regardless of the number of writes. Skips records with a write in progress. */
export async function recordDueEvents(orm: Orm): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const taken = await inTransaction(orm, async (em) => {
      const due = await rowsOf(
        em,
        EventRow,
        sql`with due as (
            select crdt_id from crdt_event where due_at <= now() order by due_at limit ${sql.lit(maxBatchRecords)} for update skip locked),
          taken as (delete from crdt_event e using due where e.crdt_id = due.crdt_id returning e.crdt_id)
          select ${eventColumns} from taken e ${eventSource}`,
      );
      for (const [tenantId, records] of Map.groupBy(due, ({ api_key_id }) => api_key_id)) {
        await recordEvents(em, tenantId, eventsOf(records));
      }
      return due.length;
    });
    if (taken < maxBatchRecords) return;
  }
}
