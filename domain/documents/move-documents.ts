import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import type { ResolvedFolder } from '../folders/resolve-folder.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { documentMissing } from './resolve-document.ts';
import { setColumns } from './set-columns.ts';

/** Moves all documents or none. Inherited access follows the new folder at once. `folder` is null for the top level. */
export async function moveDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
  folder: ResolvedFolder | null,
): Promise<void> {
  const known = await setColumns(em, organization, documentIds, { folder_id: folder?.id ?? null });
  const missing = documentIds.filter((id) => !known.has(id));
  const [first] = missing;
  if (first === undefined) return;
  const { details } = await documentMissing(em, organization, first, messages.documentMissing);
  throw notFound(messages.documentMissing, { ...details, documentIds: missing });
}
