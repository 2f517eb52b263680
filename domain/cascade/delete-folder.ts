import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { folderTexts } from '../folders/folder-texts.ts';
import { liveChildren, lockFolderTree } from '../folders/folder-tree.ts';
import { endMigrationsOf } from './end-migrations.ts';

/**
 * Tombstones a folder and its descendants in one statement: after the commit they and their documents are invisible and
 * their ids free. Waits for writers that lock one of the rows. Returns the job that removes the rows.
 */
export async function deleteFolder(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  folderId: string,
): Promise<CreatedJob> {
  await lockFolderTree(em, organization);
  const deleted = await rowsOf(
    em,
    DeletedRow,
    sql`with recursive gone (id) as (
        select id from folder where api_key_id = ${tenant.id} and org_id = ${organization.id} and ext_id = ${folderId}
        union all
        select child.id from gone g cross join lateral ${liveChildren(tenant, organization, sql`g.id`)} child),
      locked as (select f.id from folder f join gone g on g.id = f.id order by f.id for update of f)
      update folder f set ext_id = null, deleted_at = now() from locked l where f.id = l.id returning f.id`,
  );
  const folders = deleted.map(({ id }) => id);
  if (folders.length === 0) throw notFound(folderTexts.notFound);
  const job = await createJob(em, tenant, {
    kind: cascadeKind,
    organization,
    request: { organizations: [], folders, documents: [] },
  });
  await endMigrationsOf(em, tenant, { organization: organization.id, folders });
  return job;
}

const DeletedRow = z.strictObject({ id: z.string() });
