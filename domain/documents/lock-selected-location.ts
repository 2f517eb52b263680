import type { EntityManager } from '../../platform/database/orm.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockDocument, type ResolvedDocument } from './resolve-document.ts';

/** The organization of a write, and its document if the request names one. */
export interface SelectedLocation {
  readonly organization: ResolvedOrganization & { readonly organizationId: string };
  readonly document: ResolvedDocument | undefined;
}

/** Locks the organization and then the document of a write that creates neither. Throws NOT_FOUND for a missing one. */
export async function lockSelectedLocation(
  em: EntityManager,
  tenant: Tenant,
  {
    organizationId,
    documentId,
  }: { readonly organizationId: string; readonly documentId?: string | undefined },
): Promise<SelectedLocation> {
  const { id } = await lockOrganization(em, tenant, organizationId);
  const document = documentId === undefined ? undefined : await lockDocument(em, tenant, { id }, documentId);
  return { organization: { id, organizationId }, document };
}
