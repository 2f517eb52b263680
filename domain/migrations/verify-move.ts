import type { EntityManager } from '../../platform/database/orm.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { Counts, WorkedMigration } from './work-migration.ts';

interface Found {
  readonly under_old: boolean;
  readonly under_new: boolean;
  /** Deleted, or moved on by a later migration: where it is now says nothing about this move. */
  readonly left_since: boolean;
  readonly counts: Counts | null;
}

/** What a look at a moved document found wrong, for an operator: names and numbers, no ids of a customer. */
export type Findings = readonly string[];

/** Compares where the document is, and what it holds, with what the migration promised. Empty when all is as it should be. */
export async function findingsOf(
  em: EntityManager,
  migration: WorkedMigration,
  after: Counts,
): Promise<Findings> {
  const { job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id } = migration;
  const found = await row<Found>(
    em,
    `select m.counts,
       exists (select from document d where d.org_id = $3 and d.ext_id = $5 and d.id = $4) as under_old,
       exists (select from document d where d.org_id = $3 and d.ext_id = $6 and d.id = $4) as under_new,
       not exists (select from document d where d.id = $4 and d.deleted_at is null)
         or exists (select from organization o where o.id = $3 and o.deleted_at is not null)
         or exists (select from migration l where l.document_id = $4 and l.job_id > $1 and l.flipped_at is not null) as left_since
     from migration m where m.job_id = $1 and m.api_key_id = $2`,
    [job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id],
  );
  if (found === undefined || found.left_since) return [];
  const before = found.counts ?? {};
  return [
    ...(found.under_old ? ['the old id still resolves to the document'] : []),
    ...(found.under_new ? [] : ['the new id does not resolve to the document']),
    ...Object.entries(before)
      .filter(([kind, count]) => (after[kind] ?? 0) < count)
      .map(([kind, count]) => `${kind}: ${String(count)} before, ${String(after[kind] ?? 0)} after`),
  ];
}

/** Never touches the status: what has completed stays completed. */
export async function storeVerdict(
  em: EntityManager,
  migration: WorkedMigration,
  verified: boolean,
): Promise<void> {
  await rows(em, 'update migration set verified = $3 where job_id = $1 and api_key_id = $2', [
    migration.job_id,
    migration.api_key_id,
    verified,
  ]);
}
