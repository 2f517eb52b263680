import { recordKinds } from '../domain/cascade/record-kinds.ts';
import type { RecordCursor, RecordBatch, RecordRange } from '../domain/documents/record-kind.ts';
import type { ActiveMigration } from '../domain/migrations/active-migration.ts';
import type { Counts } from '../domain/migrations/migration.entity.ts';
import { readInIndexOrder } from '../platform/database/planner.ts';
import { inTransaction, type Orm } from '../platform/database/orm.ts';
import { reportProgress } from './report-progress.ts';

/** Counts the records of a document by kind, one chunk per transaction. */
export async function countDocument(orm: Orm, migration: ActiveMigration): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const kind of recordKinds) {
    let after: RecordCursor | null = null;
    let count = 0;
    do {
      const range: RecordRange = {
        tenantId: migration.api_key_id,
        documents: [migration.document_id],
        after,
      };
      const batch: RecordBatch = await inTransaction(orm, async (em) => {
        await readInIndexOrder(em);
        return kind.count(em, range);
      });
      count += batch.records;
      after = batch.last;
      reportProgress({ kind: kind.name, count });
    } while (after !== null);
    counts[kind.name] = count;
  }
  return counts;
}
