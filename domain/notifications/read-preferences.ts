import type { EntityManager } from '../../platform/database/orm.ts';
import { required } from '../../platform/process/required.ts';
import { documentMissing, visibleDocuments } from '../documents/resolve-document.ts';
import { messages } from '../messages.ts';
import { findOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { findUser } from '../users/find-user.ts';
import { defaultPreference, preferencesInForce, type PreferenceInForce } from './preferences.ts';

export interface PreferenceQuery {
  readonly organizationId: string;
  readonly userId: string;
  /** Undefined reads the preference of the organization. */
  readonly documentIds: readonly string[] | undefined;
}

export interface ReadPreference extends PreferenceInForce {
  /** Null for the organization. */
  readonly documentId: string | null;
}

/** Reads the effective preferences of a user, in the order of the documents. Throws NOT_FOUND for an unknown document. */
export async function readPreferences(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userId, documentIds }: PreferenceQuery,
): Promise<ReadPreference[]> {
  const organization = await findOrganization(em, tenant, organizationId);
  const documents = documentIds === undefined ? [null] : await findDocuments(em, organization, documentIds);
  const user = await findUser(em, tenant, userId);
  const targets = documents.map((document) => ({ user: user?.id ?? '0', document: document?.id ?? null }));
  const inForce = user === undefined ? [] : await preferencesInForce(em, tenant.id, organization.id, targets);
  return documents.map((document, index) => ({
    documentId: document?.documentId ?? null,
    ...(inForce[index] ?? { preference: defaultPreference, source: 'default' }),
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
  return documentIds.map((documentId) => ({
    documentId,
    id: required(ids.get(documentId), 'key of a found document'),
  }));
}
