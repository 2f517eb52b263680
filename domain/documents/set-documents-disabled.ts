import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { setColumns } from './set-columns.ts';

export async function setDocumentsDisabled(
  em: EntityManager,
  organization: ResolvedOrganization,
  { documentIds, disabled }: { readonly documentIds: readonly string[]; readonly disabled: boolean },
): Promise<Outcomes<{ readonly disabled: boolean }>> {
  return outcomes(documentIds, await setColumns(em, organization, documentIds, { disabled }), {
    ok: () => done('Document disabled state updated.', { disabled }),
    otherwise: () => failed('not-found', messages.documentMissing),
  });
}
