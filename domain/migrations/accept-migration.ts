import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { freeInvisibleDocuments, lockDocument, refuseReserved } from '../documents/resolve-document.ts';
import { alreadyExists, notFound } from '../errors.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { migrationKind } from '../jobs/job-kinds.ts';
import { messages } from '../messages.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Customer's ids as sent. */
export interface MigrationRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly newDocumentId: string;
}

/**
 * Accepts a migration and reserves both ids until it ends. The pending job starts the workflow after the commit, or by
 * the sweep. Of two concurrent calls the second conflicts with the reservation of the first. It is retried, and then
 * rejected with the `migrationId` of the first.
 */
export async function acceptMigration(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId, newDocumentId }: MigrationRequest,
): Promise<CreatedJob> {
  const organization = await lockOrganization(em, tenant, organizationId);
  await refuseReserved(em, organization, [documentId, newDocumentId]);
  const document = await lockDocument(em, tenant, organization, documentId);
  await lockFolder(em, document.id);
  await freeInvisibleDocuments(em, organization, [newDocumentId]);
  const taken = await tablesOf(em)
    .selectFrom('document')
    .select('id')
    .where('org_id', '=', organization.id)
    .where('ext_id', '=', newDocumentId)
    .executeTakeFirst();
  if (taken !== undefined) throw alreadyExists(messages.migrationTaken);
  const job = await createJob(em, tenant, {
    kind: migrationKind,
    organization: { id: organization.id, organizationId },
    request: {},
  });
  await sql`with reserved as (
      insert into id_reservation (org_id, ext_id, job_id)
      select ${organization.id}, id, ${job.id} from unnest(${[documentId, newDocumentId]}::text[]) as t (id)
      order by id collate "C")
    insert into migration (job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id)
    values (${job.id}, ${tenant.id}, ${organization.id}, ${document.id}, ${documentId}, ${newDocumentId})`.execute(
    tablesOf(em),
  );
  return job;
}

/** A deletion of the folder ends the migrations that it finds, so it waits for this one, or this one finds it deleted. */
async function lockFolder(em: EntityManager, document: string): Promise<void> {
  const folder = await tablesOf(em)
    .selectFrom('document as d')
    .innerJoin('folder as f', 'f.id', 'd.folder_id')
    .select('f.deleted_at')
    .where('d.id', '=', document)
    .forKeyShare('f')
    .executeTakeFirst();
  if (folder !== undefined && folder.deleted_at !== null) throw notFound(messages.documentMissing);
}
