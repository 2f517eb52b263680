import type { EntityManager } from '../../platform/database/orm.ts';
import { required } from '../../platform/process/required.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { accessOfFolder } from '../folders/access-of-folder.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeNumbers, inForce } from '../tenancy/access-types.ts';
import { tablesOf } from '../tables.ts';
import type { AccessType, Tenant } from '../tenancy/tenant.ts';
import { visibleDocuments } from './resolve-document.ts';
import { setColumns } from './set-columns.ts';

/** Sets the documents' own access type, or restores inheritance with null. Each outcome holds the effective access type. */
export async function setDocumentsAccess(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  {
    documentIds,
    accessType,
  }: { readonly documentIds: readonly string[]; readonly accessType: AccessType | null },
): Promise<Outcomes<{ readonly accessType: AccessType }>> {
  const changed = await setColumns(em, organization, documentIds, {
    access_type: accessType === null ? null : accessTypeNumbers[accessType],
  });
  const after = await visibleDocuments(tablesOf(em), organization, documentIds)
    .leftJoin('folder as f', 'f.id', 'd.folder_id')
    .select(['d.access_type', accessOfFolder.as('folder_access_type')])
    .$narrowType<{ ext_id: string }>()
    .execute();
  const types = new Map(
    after.map((document) => [
      document.ext_id,
      inForce([document.access_type, document.folder_access_type], tenant.switches.defaultDocumentAccessType),
    ]),
  );
  const visible = new Set(documentIds.filter((id) => changed.has(id) && types.has(id)));
  return outcomes(documentIds, visible, {
    ok: (id) =>
      done('Document access type updated.', {
        accessType: required(types.get(id), 'access type of a visible document'),
      }),
    otherwise: () => failed('not-found', messages.documentMissing),
  });
}
