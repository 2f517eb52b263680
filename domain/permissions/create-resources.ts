import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../platform/database/statements.ts';
import { isVisible, movedAway } from '../documents/resolve-document.ts';
import { failedPrecondition } from '../errors.ts';
import { lockFolderTrees } from '../folders/folder-tree.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import type { Resource } from './resource.ts';

export interface CreateFlags {
  readonly createOrganization: boolean;
  readonly createDocument: boolean;
  readonly createFolder: boolean;
}

/**
 * Creates missing resources where the flags allow it, named by their ids, at the root. Rejects a document id that a
 * migration moved away or reserved. The number of statements does not grow with the resources.
 */
export async function createResources(
  em: EntityManager,
  tenant: Tenant,
  missing: readonly Resource[],
  flags: CreateFlags,
): Promise<void> {
  if (flags.createOrganization) {
    const organizations = [...new Set(missing.map(({ organizationId }) => organizationId))];
    const created = await changedBy(
      em,
      sql`insert into organization (api_key_id, ext_id, name)
        select ${tenant.id}, s.id, s.id from unnest(${organizations}::text[]) as s (id)
        order by s.id collate "C" on conflict (api_key_id, ext_id) do nothing`,
    );
    countUsage(em, tenant.id, 'organizations', created);
  }
  const folders = missing.filter(({ type }) => type === 'folder');
  if (flags.createFolder && folders.length > 0) await createFolders(em, tenant, folders);
  const documents = missing.filter(({ type }) => type === 'document');
  if (flags.createDocument && documents.length > 0) await createDocuments(em, tenant, documents);
}

/** SQL: `s`, the ids of the resources and of their organizations, joined with `o`, the organizations. */
const named = (tenant: Tenant, resources: readonly Resource[]) => sql`
  unnest(${resources.map(({ organizationId }) => organizationId)}::text[], ${resources.map(({ id }) => id)}::text[])
    as s (org_ext_id, ext_id) join organization o on o.api_key_id = ${tenant.id} and o.ext_id = s.org_ext_id`;

const OrganizationRow = z.strictObject({ id: z.string() });

async function createFolders(em: EntityManager, tenant: Tenant, folders: readonly Resource[]): Promise<void> {
  const organizations = await rowsOf(
    em,
    OrganizationRow,
    sql`select distinct o.id from ${named(tenant, folders)}`,
  );
  await lockFolderTrees(em, organizations);
  const created = await changedBy(
    em,
    sql`insert into folder (api_key_id, org_id, ext_id, name)
      select ${tenant.id}, o.id, s.ext_id, s.ext_id from ${named(tenant, folders)}
      order by o.id, s.ext_id collate "C" on conflict (org_id, ext_id) do nothing`,
  );
  countUsage(em, tenant.id, 'folders', created);
}

async function createDocuments(
  em: EntityManager,
  tenant: Tenant,
  documents: readonly Resource[],
): Promise<void> {
  const taken = await movedOrReserved(em, tenant, documents);
  for (const { movedTo, migrationId } of taken) {
    if (movedTo !== null) throw movedAway(movedTo);
    if (migrationId !== null) throw failedPrecondition(messages.migrationRunning, { migrationId });
  }
  await sql`update document d set ext_id = null, deleted_at = now() from ${named(tenant, documents)}
    where d.org_id = o.id and d.ext_id = s.ext_id and not ${isVisible}`.execute(tablesOf(em));
  const created = await changedBy(
    em,
    sql`insert into document (api_key_id, org_id, ext_id, name)
      select ${tenant.id}, o.id, s.ext_id, s.ext_id from ${named(tenant, documents)}
      order by o.id, s.ext_id collate "C" on conflict (org_id, ext_id) do nothing`,
  );
  countUsage(em, tenant.id, 'documents', created);
}

const TakenId = z.strictObject({
  organizationId: z.string(),
  documentId: z.string(),
  /** The current id of a document that moved away from this id in the last 90 days. */
  movedTo: z.string().nullable(),
  /** The migration that has reserved the id. */
  migrationId: z.string().nullable(),
});

/** Selects the document ids that a migration moved away or reserved. */
export async function movedOrReserved(
  em: EntityManager,
  tenant: Tenant,
  documents: readonly Resource[],
): Promise<z.infer<typeof TakenId>[]> {
  if (documents.length === 0) return [];
  return rowsOf(
    em,
    TakenId,
    sql`select t.* from (
       select s.org_ext_id as "organizationId", s.ext_id as "documentId", (
           select d.ext_id from migration m join document d on d.id = m.document_id
           where m.org_id = o.id and m.old_ext_id = s.ext_id and m.flipped_at > now() - interval '90 days' and m.released_at is null
             and d.ext_id is not null and ${isVisible} order by m.job_id desc limit 1) as "movedTo", (
           select j.public_id from id_reservation r join job j on j.id = r.job_id
           where r.org_id = o.id and r.ext_id = s.ext_id) as "migrationId"
       from ${named(tenant, documents)}) t where t."movedTo" is not null or t."migrationId" is not null`,
  );
}
