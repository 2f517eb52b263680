import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import type { ResolvedFolder } from '../folders/resolve-folder.ts';
import { metadataPatch } from '../metadata.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeNumber } from '../tenancy/access-types.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { DocumentInput } from './document-input.ts';
import { freeInvisibleDocuments } from './resolve-document.ts';

export interface DocumentPlace {
  readonly organization: ResolvedOrganization;
  /** Null at the top. */
  readonly folder: ResolvedFolder | null;
}

/** An id that exists, or that a running migration has reserved, fails alone. Organization and folder are locked by the caller. */
export async function addDocuments(
  em: EntityManager,
  tenant: Tenant,
  place: DocumentPlace,
  documents: readonly DocumentInput[],
): Promise<Outcomes> {
  const added = new Set(await insert(em, tenant, place, documents));
  const refused = documents.filter(({ documentId }) => !added.has(documentId));
  if (refused.length > 0) {
    const refusedIds = refused.map(({ documentId }) => documentId);
    if (await freeInvisibleDocuments(em, place.organization, refusedIds)) {
      for (const id of await insert(em, tenant, place, refused)) added.add(id);
    }
  }
  return outcomes(
    documents.map(({ documentId }) => documentId),
    added,
    {
      ok: () => done('Added Successfully'),
      otherwise: () => failed('already-exists', 'Document already exists'),
    },
  );
}

/** Ends `movedTo` of every id that is taken again. */
async function insert(
  em: EntityManager,
  tenant: Tenant,
  { organization, folder }: DocumentPlace,
  documents: readonly DocumentInput[],
): Promise<string[]> {
  const inserted = await rows<{ ext_id: string }>(
    em,
    `with added as (
       insert into document (api_key_id, org_id, folder_id, ext_id, name, access_type, metadata)
       select $1, $2, $3, s.ext_id, coalesce(s.name, s.ext_id), s.access_type, s.metadata
       from unnest($4::text[], $5::text[], $6::smallint[], $7::jsonb[]) as s (ext_id, name, access_type, metadata)
       where not exists (select from id_reservation r where r.org_id = $2 and r.ext_id = s.ext_id)
       order by s.ext_id collate "C"
       on conflict (org_id, ext_id) do nothing returning ext_id),
     released as (
       update migration m set released_at = now() from added a
       where m.org_id = $2 and m.old_ext_id = a.ext_id and m.flipped_at is not null and m.released_at is null)
     select ext_id from added`,
    [
      tenant.id,
      organization.id,
      folder?.id ?? null,
      documents.map(({ documentId }) => documentId),
      documents.map(({ documentName }) => documentName ?? null),
      documents.map(({ accessType }) => (accessType === undefined ? null : accessTypeNumber(accessType))),
      documents.map(({ metadata }) => metadataPatch(metadata).set),
    ],
  );
  return inserted.map(({ ext_id }) => ext_id);
}
