import { readInIndexOrder } from '../../platform/database/planner.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import type { RecordKind } from '../documents/record-kind.ts';
import { processNext, type Remaining } from '../process-next.ts';
import type { ActiveMigration } from './active-migration.ts';
import type { Counts } from './migration.entity.ts';

/** Max records of a kind whose count shares a transaction with that of the next kind. */
const few = 10_000;

/** Counts the records of a document by these kinds, in short transactions. Yields the counts so far after each. */
export async function* countDocument(
  orm: Orm,
  { api_key_id: tenantId, document_id }: Pick<ActiveMigration, 'api_key_id' | 'document_id'>,
  kinds: readonly RecordKind[],
): AsyncGenerator<Counts, Counts> {
  const counts: Record<string, number> = {};
  let left: Remaining<RecordKind> = { kinds, after: null };
  while (left.kinds.length > 0) {
    const from = left;
    left = await inTransaction(orm, async (em) => {
      await readInIndexOrder(em);
      return processNext(from, few, async (kind, after) => {
        const batch = await kind.count(em, { tenantId, documents: [document_id], after });
        counts[kind.name] = (counts[kind.name] ?? 0) + batch.records;
        return batch;
      });
    });
    yield { ...counts };
  }
  return counts;
}
