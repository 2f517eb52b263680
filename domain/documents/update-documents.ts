import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import { judgedMetadata, metadataPatch, metadataTooLarge } from '../metadata.ts';
import { lockPeople } from '../users/lock-named.ts';
import {
  indexMetadata,
  peopleInMetadata,
  peopleOfExisting,
  refuseManyInMetadata,
} from '../users/people-in-metadata.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeColumn } from '../tenancy/access-types.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { DocumentInput } from './document-input.ts';
import { visibleDocuments } from './resolve-document.ts';

/** The documents of an organization that a call updates. */
export interface DocumentUpdate {
  readonly organizationId: string;
  readonly documents: readonly DocumentInput[];
  /** True merges metadata member by member; false replaces it. */
  readonly merge: boolean;
}

/**
 * Updates documents. Absent known members keep their value. A document whose metadata would be too large fails alone and is
 * not changed. Refuses too many users in metadata before it looks up the organization.
 */
export async function updateDocuments(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documents: sent, merge }: DocumentUpdate,
): Promise<Outcomes> {
  refuseManyInMetadata(sent);
  const organization = await lockOrganization(em, tenant, organizationId);
  const documents = await withPeopleLocked(em, tenant, organization, sent);
  const documentIds = documents.map(({ documentId }) => documentId);
  const patches = documents.map(({ metadata }) => metadataPatch(metadata));
  const locked = visibleDocuments(tablesOf(em), organization, documentIds).select('d.metadata as stored');
  const judged = await rowsOf(
    em,
    JudgedRow,
    sql`with locked as ${locked.forNoKeyUpdate('d')},
      sent as (select * from unnest(${documentIds}::text[], ${documents.map(({ documentName }) => documentName ?? null)}::text[],
        ${accessTypeColumn(documents)}::smallint[], ${patches.map(({ set }) => set)}::jsonb[],
        ${patches.map(({ remove }) => JSON.stringify(remove))}::jsonb[]) as t (ext_id, name, access_type, set, removed)),
      judged as materialized ${judgedMetadata(sql`(select * from locked join sent using (ext_id))`, { replaces: !merge })},
      written as (
        update document d set name = coalesce(j.name, d.name), access_type = coalesce(j.access_type, d.access_type),
          metadata = j.metadata, updated_at = now()
        from judged j where d.id = j.id and j.fits)
      select id, ext_id, fits from judged`,
  );
  const written = new Map(judged.flatMap(({ id, ext_id, fits }) => (fits ? [[ext_id, id]] : [])));
  const tooLarge = new Set(judged.flatMap(({ ext_id, fits }) => (fits ? [] : [ext_id])));
  await indexMetadata(em, tenant, 'document', documents, ({ documentId }) => written.get(documentId));
  const sentIds = sent.map(({ documentId }) => documentId);
  return outcomes(sentIds, new Set(written.keys()), {
    ok: () => done('Updated Successfully'),
    otherwise: (id) =>
      tooLarge.has(id) ? metadataTooLarge() : failed('not-found', messages.documentMissing),
  });
}

/** Locks the users named in the metadata of documents that exist, and returns these; all if no user is named. */
async function withPeopleLocked(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  documents: readonly DocumentInput[],
): Promise<readonly DocumentInput[]> {
  const named = peopleInMetadata(documents);
  if (named === undefined) return documents;
  const documentIds = documents.map(({ documentId }) => documentId);
  const found = await visibleDocuments(tablesOf(em), organization, documentIds).execute();
  const known = new Set(found.map(({ ext_id }) => ext_id));
  const exists = ({ documentId }: DocumentInput): boolean => known.has(documentId);
  const people = peopleOfExisting(documents, named, exists);
  if (people !== undefined) await lockPeople(em, tenant, people, [organization.id]);
  return documents.filter(exists);
}

const JudgedRow = z.strictObject({ id: z.string(), ext_id: z.string(), fits: z.boolean() });
