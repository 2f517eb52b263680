import { recordEvents } from '../events/record-events.ts';
import { rows } from '../../platform/database/sql.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { eventColumns, eventOf, eventSource, type EventRow } from './record-event.ts';

const atOnce = 500;

/** Batches of one turn; the next turn takes what is left. */
const mostBatches = 40;

/** Makes the events that are due, one a record however often it was written. A record that is being written now is passed by. */
export async function announceChanges(orm: Orm): Promise<void> {
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const taken = await inTransaction(orm, async (em) => {
      const due = await rows<Partial<EventRow>>(
        em,
        `with due as (
           select crdt_id from crdt_event where due_at <= now() order by due_at limit ${String(atOnce)} for update skip locked),
         taken as (delete from crdt_event e using due where e.crdt_id = due.crdt_id returning e.crdt_id)
         select ${eventColumns} from taken e ${eventSource}`,
      );
      // What was deleted meanwhile has nothing to tell.
      const told = due.filter((record): record is EventRow =>
        Boolean(record.document_ext_id && record.organization_ext_id),
      );
      for (const [tenantId, records] of Map.groupBy(told, ({ api_key_id }) => api_key_id)) {
        await recordEvents(em, tenantId, records.map(eventOf));
      }
      return due.length;
    });
    if (taken < atOnce) return;
  }
}
