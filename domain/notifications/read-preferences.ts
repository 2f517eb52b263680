import { documentMissing, visibleDocuments } from '../documents/resolve-document.ts';
import { messages } from '../messages.ts';
import { findOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { findUser } from '../users/find-user.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { defaultPreference, preferencesInForce, type PreferenceInForce } from './preferences.ts';

export interface PreferenceQuery {
  readonly organizationId: string;
  readonly userId: string;
  /** Undefined is the organization as a whole. */
  readonly documentIds: readonly string[] | undefined;
}

export interface ReadPreference extends PreferenceInForce {
  /** Null for the organization as a whole. */
  readonly documentId: string | null;
}

/** What is in force for a person, in the order of the documents. Throws NOT_FOUND for an unknown document. */
export async function readPreferences(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userId, documentIds }: PreferenceQuery,
): Promise<ReadPreference[]> {
  const organization = await findOrganization(em, tenant, organizationId);
  const documents = documentIds === undefined ? [null] : await findDocuments(em, organization, documentIds);
  const user = await findUser(em, tenant, userId);
  const places = documents.map((document) => ({ user: user?.id ?? '0', document: document?.id ?? null }));
  const inForce = user === undefined ? [] : await preferencesInForce(em, tenant.id, organization.id, places);
  return documents.map((document, place) => ({
    documentId: document?.documentId ?? null,
    ...(inForce[place] ?? { preference: defaultPreference, source: 'default' }),
  }));
}

async function findDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<{ readonly documentId: string; readonly id: string }[]> {
  const found = await visibleDocuments(tablesOf(em), organization, documentIds)
    .clearOrderBy()
    .$narrowType<{ ext_id: string }>()
    .execute();
  const ids = new Map(found.map(({ id, ext_id }) => [ext_id, id]));
  const missing = documentIds.find((documentId) => !ids.has(documentId));
  if (missing !== undefined) throw await documentMissing(em, organization, missing, messages.documentMissing);
  return documentIds.map((documentId) => ({ documentId, id: ids.get(documentId) ?? '' }));
}
