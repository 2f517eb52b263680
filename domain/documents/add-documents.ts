import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { isOpen } from '../closed-rows.ts';
import { aborted } from '../errors.ts';
import { lockFolder, type ResolvedFolder } from '../folders/resolve-folder.ts';
import { messages } from '../messages.ts';
import { metadataPatch } from '../metadata.ts';
import { indexMetadata, lockPeopleInMetadata, refuseManyInMetadata } from '../users/people-in-metadata.ts';
import {
  lockOrganization,
  organizationMissing,
  type ResolvedOrganization,
} from '../organizations/resolve-organization.ts';
import { accessTypeColumn } from '../tenancy/access-types.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import type { DocumentInput } from './document-input.ts';
import { freeInvisibleDocuments } from './resolve-document.ts';

export interface DocumentLocation {
  readonly organizationId: string;
  /** Undefined or `root`: the top level. */
  readonly folderId?: string | undefined;
  readonly createOrganization: boolean;
  readonly createFolder: boolean;
}

/** The documents that one call adds. Their ids are distinct. */
export interface DocumentWrite {
  readonly location: DocumentLocation;
  readonly documents: readonly DocumentInput[];
}

/**
 * Adds documents. An id that exists, or that a running migration reserves, fails alone. Calls for the same location share
 * statements. Throws ABORTED when two of these calls add the same id: the caller then runs each by itself. Refuses too many
 * users in metadata before it looks up the organization.
 */
export async function addDocuments(
  em: EntityManager,
  tenant: Tenant,
  writes: readonly DocumentWrite[],
): Promise<Outcomes[]> {
  for (const { documents } of writes) refuseManyInMetadata(documents);
  const byLocation = Map.groupBy(writes, ({ location }) => writeKey(location));
  const added = new Map<string, Outcomes>();
  // A fixed order keeps concurrent transactions from deadlocking.
  for (const [key, [first, ...more]] of [...byLocation].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (first === undefined) continue;
    const documents = [first, ...more].flatMap((write) => write.documents);
    if (new Set(documents.map(({ documentId }) => documentId)).size < documents.length) throw aborted();
    added.set(key, await addInto(em, tenant, first.location, documents));
  }
  return writes.map(({ location, documents }) => {
    const all = added.get(writeKey(location));
    // The outcomes of this call alone.
    if (all?.size === documents.length) return all;
    return new Map(
      documents.flatMap(({ documentId }) => {
        const outcome = all?.get(documentId);
        return outcome === undefined ? [] : [[documentId, outcome] as const];
      }),
    );
  });
}

const writeKey = (location: DocumentLocation): string =>
  JSON.stringify([
    location.organizationId,
    location.folderId,
    location.createOrganization,
    location.createFolder,
  ]);

const addedNow = done('Added Successfully');
const existing = failed('already-exists', messages.documentExists);

async function addInto(
  em: EntityManager,
  tenant: Tenant,
  location: DocumentLocation,
  documents: readonly DocumentInput[],
): Promise<Outcomes> {
  const folder = await prepareFolder(em, tenant, location);
  const first = await insert(em, tenant, location, folder, documents);
  const added = new Set(first.documentIds);
  const rejected = documents.filter(({ documentId }) => !added.has(documentId));
  if (rejected.length > 0) {
    const rejectedIds = rejected.map(({ documentId }) => documentId);
    await freeInvisibleDocuments(em, first.organization, rejectedIds);
    // A concurrent cascade may have freed the ids instead.
    const second = await insert(em, tenant, location, folder, rejected);
    for (const id of second.documentIds) added.add(id);
  }
  return outcomes(
    documents.map(({ documentId }) => documentId),
    added,
    {
      ok: () => addedNow,
      otherwise: () => existing,
    },
  );
}

/** Creates the missing organization and folder if the flags allow it, and locks the folder. */
async function prepareFolder(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, folderId, createOrganization, createFolder }: DocumentLocation,
): Promise<ResolvedFolder | null> {
  if (folderId === undefined && !createOrganization) return null;
  const organization = await lockOrganization(em, tenant, organizationId, createOrganization);
  return folderId === undefined ? null : lockFolder(em, tenant, organization, folderId, createFolder);
}

/** `ids` are the surrogate keys of `document_ids`, in the same order. */
const InsertedRow = z.strictObject({
  organization: z.string(),
  document_ids: z.array(z.string()).nullable(),
  ids: z.array(z.string()).nullable(),
});

interface Inserted {
  readonly organization: ResolvedOrganization;
  readonly documentIds: readonly string[];
}

/** Locks the organization and adds documents with unused ids, in one statement. Ends `movedTo` of each id added. */
async function insert(
  em: EntityManager,
  tenant: Tenant,
  { organizationId }: DocumentLocation,
  folder: ResolvedFolder | null,
  documents: readonly DocumentInput[],
): Promise<Inserted> {
  const inserted = await rowOf(
    em,
    InsertedRow,
    sql`with o as (select id from organization where api_key_id = ${tenant.id} and ext_id = ${organizationId}
        and ${isOpen('organization')} for key share),
      added as (
        insert into document (api_key_id, org_id, folder_id, ext_id, name, access_type, metadata)
        select ${tenant.id}, o.id, ${folder?.id ?? null}, s.ext_id, coalesce(s.name, s.ext_id), s.access_type, s.metadata
        from o cross join unnest(${documents.map(({ documentId }) => documentId)}::text[],
          ${documents.map(({ documentName }) => documentName ?? null)}::text[], ${accessTypeColumn(documents)}::smallint[],
          ${documents.map(({ metadata }) => metadataPatch(metadata).set)}::jsonb[]) as s (ext_id, name, access_type, metadata)
        where not exists (select from id_reservation r where r.org_id = o.id and r.ext_id = s.ext_id)
        order by s.ext_id collate "C"
        on conflict (org_id, ext_id) do nothing returning id, org_id, ext_id),
      released as (
        update migration m set released_at = now() from added a
        where m.org_id = a.org_id and m.old_ext_id = a.ext_id and m.flipped_at is not null and m.released_at is null)
      select o.id as organization, a.document_ids, a.ids
      from o cross join (select json_agg(ext_id) as document_ids, json_agg(id::text) as ids from added) a`,
  );
  if (inserted === undefined)
    throw await organizationMissing(em, tenant, organizationId, messages.organizationMissingFlag);
  const { organization, document_ids: documentIds, ids } = inserted;
  const added = new Map(documentIds?.map((documentId, index) => [documentId, ids?.[index]]));
  countUsage(em, tenant.id, 'documents', added.size);
  const written = documents.filter(({ documentId }) => added.has(documentId));
  // Runs after the statement that locks the organization: no deletion sees the rows before the fence is read.
  await lockPeopleInMetadata(em, tenant, written, [organization]);
  await indexMetadata(em, tenant, 'document', written, ({ documentId }) => added.get(documentId));
  return {
    organization: { id: organization },
    documentIds: [...added.keys()],
  };
}
