import { done, failed, outcomes } from '../batch.ts';
import type { Deletion } from '../documents/delete-documents.ts';
import { createJob } from '../jobs/create-job.ts';
import { messages } from '../messages.ts';
import { endMigrationsOf } from '../migrations/end-migrations.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Tombstones organizations: they, and all below them, are gone from the commit on; one job a call removes the rows. */
export async function deleteOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
): Promise<Deletion> {
  const deleted = await rows<{ id: string; ext_id: string }>(
    em,
    `with locked as (
       select id, ext_id from organization where api_key_id = $1 and ext_id = any($2) order by ext_id for update)
     update organization o set ext_id = null, deleted_at = now() from locked l where o.id = l.id returning o.id, l.ext_id`,
    [tenant.id, organizationIds],
  );
  const organizations = deleted.map(({ id }) => id);
  const [only] = deleted;
  const job =
    only === undefined
      ? undefined
      : await createJob(em, tenant, {
          kind: 'cascade',
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
