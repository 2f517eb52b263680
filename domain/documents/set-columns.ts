import { sql, type Updateable } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf, type Tables } from '../tables.ts';
import { visibleDocuments } from './resolve-document.ts';

/** Sets the same values on all documents. Returns the ids of those that exist. */
export async function setColumns(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
  values: Updateable<Tables['document']>,
): Promise<Set<string>> {
  const updated = await tablesOf(em)
    .with('locked', (tables) => visibleDocuments(tables, organization, documentIds).forNoKeyUpdate('d'))
    .updateTable('document as d')
    .from('locked as l')
    .set({ ...values, updated_at: sql`now()` })
    .whereRef('d.id', '=', 'l.id')
    .returning('d.ext_id')
    .$narrowType<{ ext_id: string }>()
    .execute();
  return new Set(updated.map(({ ext_id }) => ext_id));
}
