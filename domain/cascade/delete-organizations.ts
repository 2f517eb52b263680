import { sql } from 'kysely';
import { anyOf } from '../../platform/database/statements.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, outcomes } from '../batch.ts';
import { createJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { DeletionResult } from './delete-documents.ts';
import { endMigrationsOf } from './end-migrations.ts';

/** Tombstones organizations: after the commit they and their contents are invisible. One job removes the rows. */
export async function deleteOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
): Promise<DeletionResult> {
  const deleted = await tablesOf(em)
    .with('locked', (tables) =>
      tables
        .selectFrom('organization')
        .select(['id', 'ext_id'])
        .where('api_key_id', '=', tenant.id)
        .where('ext_id', '=', anyOf(organizationIds))
        .orderBy('ext_id')
        .forUpdate(),
    )
    .updateTable('organization as o')
    .from('locked')
    .set({ ext_id: null, deleted_at: sql`now()` })
    .whereRef('o.id', '=', 'locked.id')
    .returning(['o.id', 'locked.ext_id'])
    .$narrowType<{ ext_id: string }>()
    .execute();
  const organizations = deleted.map(({ id }) => id);
  const [only] = deleted;
  const job =
    only === undefined
      ? undefined
      : await createJob(em, tenant, {
          kind: cascadeKind,
          organization: deleted.length === 1 ? { id: only.id, organizationId: only.ext_id } : null,
          request: { organizations, folders: [], documents: [] },
        });
  if (job !== undefined) await endMigrationsOf(em, tenant, { organizations });
  return {
    job,
    outcomes: outcomes(organizationIds, new Set(deleted.map(({ ext_id }) => ext_id)), {
      ok: () => done('Deleted Successfully'),
      otherwise: () => failed('not-found', messages.organizationMissing),
    }),
  };
}
