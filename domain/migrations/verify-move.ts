import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { ActiveMigration } from './active-migration.ts';
import type { Counts } from './migration.entity.ts';

const FoundRow = z.strictObject({
  under_old: z.boolean(),
  under_new: z.boolean(),
  /** Whether the document was deleted or moved again, so that its current id does not show the result of this move. */
  left_since: z.boolean(),
  counts: z.record(z.string(), z.number()).nullable(),
});

/** The state of a moved document, for the operator: names and numbers, no customer's ids. */
export interface MovedState {
  /** Discrepancies of its ids. */
  readonly findings: readonly string[];
  /**
   * The kinds with fewer records than before. No discrepancy: records refer to the surrogate key, so a move loses none, and
   * both ids accept deletions meanwhile.
   */
  readonly fewer: readonly string[];
}

/** Compares the document's ids and records with the migration. Both lists are empty when it was deleted or moved since. */
export async function readMovedState(
  em: EntityManager,
  migration: ActiveMigration,
  after: Counts,
): Promise<MovedState> {
  const { job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id } = migration;
  const isUnder = (id: string) =>
    sql`exists (select from document d where d.org_id = ${org_id} and d.ext_id = ${id} and d.id = ${document_id})`;
  const found = await rowOf(
    em,
    FoundRow,
    sql`select m.counts, ${isUnder(old_ext_id)} as under_old, ${isUnder(new_ext_id)} as under_new,
        not exists (select from document d where d.id = ${document_id} and d.deleted_at is null)
          or exists (select from organization o where o.id = ${org_id} and o.deleted_at is not null)
          or exists (select from migration l
            where l.document_id = ${document_id} and l.job_id > ${job_id} and l.flipped_at is not null) as left_since
      from migration m where m.job_id = ${job_id} and m.api_key_id = ${api_key_id}`,
  );
  if (found === undefined || found.left_since) return { findings: [], fewer: [] };
  return {
    findings: [
      ...(found.under_old ? ['the old id still resolves to the document'] : []),
      ...(found.under_new ? [] : ['the new id does not resolve to the document']),
    ],
    fewer: Object.entries(found.counts ?? {})
      .filter(([kind, count]) => (after[kind] ?? 0) < count)
      .map(([kind, count]) => `${kind}: ${String(count)} before, ${String(after[kind] ?? 0)} after`),
  };
}

/** Stores the result. A completed migration stays completed. */
export async function storeVerification(
  em: EntityManager,
  migration: ActiveMigration,
  verified: boolean,
): Promise<void> {
  await tablesOf(em)
    .updateTable('migration')
    .set({ verified })
    .where('job_id', '=', migration.job_id)
    .where('api_key_id', '=', migration.api_key_id)
    .execute();
}
