import type { EntityManager } from '../../platform/database/orm.ts';
import { row, rows } from '../../platform/database/sql.ts';
import { freeInvisibleDocuments, lockDocument } from '../documents/resolve-document.ts';
import { alreadyExists, failedPrecondition, invalidMember } from '../errors.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { messages } from '../messages.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Customer's ids, as sent. */
export interface MigrationWish {
  readonly organizationId: string;
  readonly documentId: string;
  readonly newDocumentId: string;
}

/**
 * Records the wish to move a document and reserves both ids until it has ended. The pending job is what starts the
 * workflow: at once after the commit, or by the sweep. Of two calls at once the second runs into the first one's
 * reservation; the frame repeats it, and then it is refused with the first one's id.
 */
export async function acceptMigration(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId, newDocumentId }: MigrationWish,
): Promise<CreatedJob> {
  if (documentId === newDocumentId) {
    throw invalidMember('newDocumentId', 'newDocumentId must differ from documentId.');
  }
  const organization = await lockOrganization(em, tenant, organizationId);
  await refuseReserved(em, organization, [documentId, newDocumentId]);
  const document = await lockDocument(em, tenant.id, organization, documentId);
  await freeInvisibleDocuments(em, organization, [newDocumentId]);
  const taken = await row(em, 'select 1 as one from document where org_id = $1 and ext_id = $2', [
    organization.id,
    newDocumentId,
  ]);
  if (taken !== undefined) throw alreadyExists(messages.migrationTaken);
  const job = await createJob(em, tenant, {
    kind: 'document-migration',
    organization: { id: organization.id, organizationId },
    request: {},
  });
  await rows(
    em,
    `with reserved as (
       insert into id_reservation (org_id, ext_id, job_id)
       select $3, id, $1 from unnest(array[$5, $6]::text[]) as t (id) order by id collate "C")
     insert into migration (job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id) values ($1, $2, $3, $4, $5, $6)`,
    [job.id, tenant.id, organization.id, document.id, documentId, newDocumentId],
  );
  return job;
}

async function refuseReserved(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<void> {
  const reservation = await row<{ public_id: string }>(
    em,
    `select j.public_id from id_reservation r join job j on j.id = r.job_id
     where r.org_id = $1 and r.ext_id = any($2) order by array_position($2::text[], r.ext_id) limit 1`,
    [organization.id, documentIds],
  );
  if (reservation !== undefined) {
    throw failedPrecondition(messages.migrationRunning, { migrationId: reservation.public_id });
  }
}
