import { recordKinds } from '../domain/cascade/record-kinds.ts';
import type { Place, Step, Walk } from '../domain/documents/record-kind.ts';
import type { Counts, WorkedMigration } from '../domain/migrations/work-migration.ts';
import { walkAlongIndexes } from '../platform/database/planner.ts';
import { inTransaction, type Orm } from '../platform/database/orm.ts';
import { reportProgress } from './work-in-steps.ts';

/** Counts what a document holds, by kind, a chunk a transaction. */
export async function countDocument(orm: Orm, migration: WorkedMigration): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const kind of recordKinds) {
    let after: Place | null = null;
    let count = 0;
    do {
      const walk: Walk = { tenantId: migration.api_key_id, documents: [migration.document_id], after };
      const step: Step = await inTransaction(orm, async (em) => {
        await walkAlongIndexes(em);
        return kind.count(em, walk);
      });
      count += step.records;
      after = step.last;
      reportProgress({ kind: kind.name, count });
    } while (after !== null);
    counts[kind.name] = count;
  }
  return counts;
}
