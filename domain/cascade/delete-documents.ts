import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { visibleDocuments } from '../documents/resolve-document.ts';
import { endMigrationsOf } from './end-migrations.ts';

/** The result of a deletion, with an outcome for each requested id. */
export interface DeletionResult {
  readonly outcomes: Outcomes;
  /** The job that removes the rows; undefined when nothing was deleted. */
  readonly job: CreatedJob | undefined;
}

/**
 * Tombstones documents: after the commit they are invisible and their ids free. Waits for writers that lock a row.
 * Fails open migrations of the documents.
 */
export async function deleteDocuments(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  documentIds: readonly string[],
): Promise<DeletionResult> {
  const deleted = await tablesOf(em)
    .with('locked', (tables) => visibleDocuments(tables, organization, documentIds).forUpdate('d'))
    .updateTable('document as d')
    .from('locked as l')
    .set({ ext_id: null, deleted_at: sql`now()` })
    .whereRef('d.id', '=', 'l.id')
    .returning(['d.id', 'l.ext_id'])
    .$narrowType<{ ext_id: string }>()
    .execute();
  const documents = deleted.map(({ id }) => id);
  const job =
    documents.length === 0
      ? undefined
      : await createJob(em, tenant, {
          kind: cascadeKind,
          organization,
          request: { organizations: [], folders: [], documents },
        });
  if (job !== undefined) await endMigrationsOf(em, tenant, { documents });
  return {
    job,
    outcomes: outcomes(documentIds, new Set(deleted.map(({ ext_id }) => ext_id)), {
      ok: () => done('Deleted Successfully'),
      otherwise: () => failed('not-found', messages.documentMissing),
    }),
  };
}
