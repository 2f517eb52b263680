import { movedAway, visibleDocument } from '../documents/resolve-document.ts';
import { failedPrecondition } from '../errors.ts';
import { lockFolderTrees } from '../folders/folder-tree.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Resource } from './resource.ts';

export interface CreateFlags {
  readonly createOrganization: boolean;
  readonly createDocument: boolean;
  readonly createFolder: boolean;
}

/**
 * Makes what is missing where the flags allow it, each named by its id, folders and documents at the top. Never a
 * document under an id that a migration has moved away or has reserved. As many statements for a hundred as for one.
 */
export async function makeResources(
  em: EntityManager,
  tenant: Tenant,
  missing: readonly Resource[],
  flags: CreateFlags,
): Promise<void> {
  if (flags.createOrganization) {
    await rows(
      em,
      `insert into organization (api_key_id, ext_id, name) select $1, s.id, s.id from unnest($2::text[]) as s (id)
       order by s.id collate "C" on conflict (api_key_id, ext_id) do nothing`,
      [tenant.id, [...new Set(missing.map(({ organizationId }) => organizationId))]],
    );
  }
  const folders = missing.filter(({ type }) => type === 'folder');
  if (flags.createFolder && folders.length > 0) await makeFolders(em, tenant, folders);
  const documents = missing.filter(({ type }) => type === 'document');
  if (flags.createDocument && documents.length > 0) await makeDocuments(em, tenant, documents);
}

/** Parallel arrays of organization and own id. */
const pairs = (resources: readonly Resource[]): [string[], string[]] => [
  resources.map(({ organizationId }) => organizationId),
  resources.map(({ id }) => id),
];

/** SQL: `s`, the pairs in $2 and $3, with `o`, their organizations. */
const named = `unnest($2::text[], $3::text[]) as s (org_ext_id, ext_id) join organization o on o.api_key_id = $1 and o.ext_id = s.org_ext_id`;

async function makeFolders(em: EntityManager, tenant: Tenant, folders: readonly Resource[]): Promise<void> {
  const organizations = await rows<{ id: string }>(em, `select distinct o.id from ${named}`, [
    tenant.id,
    ...pairs(folders),
  ]);
  await lockFolderTrees(em, organizations);
  await rows(
    em,
    `insert into folder (api_key_id, org_id, ext_id, name) select $1, o.id, s.ext_id, s.ext_id from ${named}
     order by o.id, s.ext_id collate "C" on conflict (org_id, ext_id) do nothing`,
    [tenant.id, ...pairs(folders)],
  );
}

async function makeDocuments(
  em: EntityManager,
  tenant: Tenant,
  documents: readonly Resource[],
): Promise<void> {
  const taken = await movedOrReserved(em, tenant, documents);
  for (const { movedTo, migrationId } of taken) {
    if (movedTo !== null) throw movedAway(movedTo);
    if (migrationId !== null) throw failedPrecondition(messages.migrationRunning, { migrationId });
  }
  await rows(
    em,
    `update document d set ext_id = null, deleted_at = now() from ${named}
     where d.org_id = o.id and d.ext_id = s.ext_id and not ${visibleDocument}`,
    [tenant.id, ...pairs(documents)],
  );
  await rows(
    em,
    `insert into document (api_key_id, org_id, ext_id, name) select $1, o.id, s.ext_id, s.ext_id from ${named}
     order by o.id, s.ext_id collate "C" on conflict (org_id, ext_id) do nothing`,
    [tenant.id, ...pairs(documents)],
  );
}

export interface TakenId {
  readonly organizationId: string;
  readonly documentId: string;
  /** The id that the document, moved away from this one in the last 90 days, has now. */
  readonly movedTo: string | null;
  /** The migration that has reserved the id. */
  readonly migrationId: string | null;
}

/** Those of the documents' ids that a migration left or holds. */
export async function movedOrReserved(
  em: EntityManager,
  tenant: Tenant,
  documents: readonly Resource[],
): Promise<TakenId[]> {
  if (documents.length === 0) return [];
  return rows<TakenId>(
    em,
    `select t.* from (
       select s.org_ext_id as "organizationId", s.ext_id as "documentId", (
           select d.ext_id from migration m join document d on d.id = m.document_id
           where m.org_id = o.id and m.old_ext_id = s.ext_id and m.flipped_at > now() - interval '90 days' and m.released_at is null
             and d.ext_id is not null and ${visibleDocument} order by m.job_id desc limit 1) as "movedTo", (
           select j.public_id from id_reservation r join job j on j.id = r.job_id
           where r.org_id = o.id and r.ext_id = s.ext_id) as "migrationId"
       from ${named}) t where t."movedTo" is not null or t."migrationId" is not null`,
    [tenant.id, ...pairs(documents)],
  );
}
