import { done, failed, outcomes, type Outcome, type Outcomes } from '../batch.ts';
import { notFound } from '../errors.ts';
import type { ResolvedFolder } from '../folders/resolve-folder.ts';
import { messages } from '../messages.ts';
import { indexMetadata, lockPeopleInMetadata, metadataPatch } from '../metadata.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeNumber, inForce } from '../tenancy/access-types.ts';
import type { AccessType, Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { DocumentInput } from './document-input.ts';
import { readDocumentsById } from './read-documents.ts';
import { visibleDocument } from './resolve-document.ts';

/** Locks the documents of a batch in the order of their ids, so two batches never wait for each other in a ring. */
const lockedDocuments = `locked as (
  select d.id from document d where d.org_id = $1 and d.ext_id = any($2) and ${visibleDocument}
  order by d.ext_id for no key update of d)`;

const documentMissing = (): Outcome => failed('not-found', messages.documentMissing);

const idsOf = (updated: readonly { ext_id: string }[]): Set<string> =>
  new Set(updated.map(({ ext_id }) => ext_id));

/** With `merge` free metadata is merged member by member, without it replaced; known members stay when they are absent. */
export async function updateDocuments(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  documents: readonly DocumentInput[],
  { merge }: { readonly merge: boolean },
): Promise<Outcomes> {
  const documentIds = documents.map(({ documentId }) => documentId);
  const patches = documents.map(({ metadata }) => metadataPatch(metadata));
  await lockPeopleInMetadata(em, tenant, documents, [organization.id]);
  const updated = await rows<{ id: string; ext_id: string }>(
    em,
    `with ${lockedDocuments},
     sent as (select * from unnest($2::text[], $3::text[], $4::smallint[], $5::jsonb[], $6::jsonb[])
       as t (ext_id, name, access_type, metadata, removed))
     update document d set name = coalesce(s.name, d.name), access_type = coalesce(s.access_type, d.access_type),
       metadata = case when $7 then (d.metadata || s.metadata) - array(select jsonb_array_elements_text(s.removed)) else s.metadata end,
       updated_at = now()
     from locked l, sent s where d.id = l.id and s.ext_id = d.ext_id returning d.id, d.ext_id`,
    [
      organization.id,
      documentIds,
      documents.map(({ documentName }) => documentName ?? null),
      documents.map(({ accessType }) => (accessType === undefined ? null : accessTypeNumber(accessType))),
      patches.map(({ set }) => set),
      patches.map(({ remove }) => JSON.stringify(remove)),
      merge,
    ],
  );
  const written = new Map(updated.map(({ id, ext_id }) => [ext_id, id]));
  await indexMetadata(em, tenant, 'document', documents, ({ documentId }) => written.get(documentId));
  return outcomes(documentIds, new Set(written.keys()), {
    ok: () => done('Updated Successfully'),
    otherwise: documentMissing,
  });
}

/** Moves all of them or none. Inherited access follows the new folder at once. `folder` is null for the top. */
export async function moveDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
  folder: ResolvedFolder | null,
): Promise<void> {
  const moved = await rows<{ ext_id: string }>(
    em,
    `with ${lockedDocuments}
     update document d set folder_id = $3, updated_at = now() from locked l where d.id = l.id returning d.ext_id`,
    [organization.id, documentIds, folder?.id ?? null],
  );
  const known = idsOf(moved);
  const missing = documentIds.filter((id) => !known.has(id));
  if (missing.length > 0) throw notFound(messages.documentMissing, { documentIds: missing });
}

export async function setDocumentsDisabled(
  em: EntityManager,
  organization: ResolvedOrganization,
  { documentIds, disabled }: { readonly documentIds: readonly string[]; readonly disabled: boolean },
): Promise<Outcomes> {
  const updated = await rows<{ ext_id: string }>(
    em,
    `with ${lockedDocuments}
     update document d set disabled = $3, updated_at = now() from locked l where d.id = l.id returning d.ext_id`,
    [organization.id, documentIds, disabled],
  );
  return outcomes(documentIds, idsOf(updated), {
    ok: () => done('Document disabled state updated.', { disabled }),
    otherwise: documentMissing,
  });
}

/** Sets an access type of their own, or, with null, lets them inherit. Answers what is in force afterwards. */
export async function setDocumentsAccess(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  {
    documentIds,
    accessType,
  }: { readonly documentIds: readonly string[]; readonly accessType: AccessType | null },
): Promise<Outcomes> {
  await rows(
    em,
    `with ${lockedDocuments}
     update document d set access_type = $3, updated_at = now() from locked l where d.id = l.id`,
    [organization.id, documentIds, accessType === null ? null : accessTypeNumber(accessType)],
  );
  const { documents: after } = await readDocumentsById(em, organization, documentIds);
  const types = new Map(
    after.map((document) => [
      document.ext_id,
      inForce([document.access_type, document.folder_access_type], tenant.switches.defaultDocumentAccessType),
    ]),
  );
  return outcomes(documentIds, new Set(types.keys()), {
    ok: (id) => done('Document access type updated.', { accessType: types.get(id) }),
    otherwise: documentMissing,
  });
}
