import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { FolderInput } from './folder-input.ts';

/** A folder and its ancestors: surrogate keys from the top folder to the parent, empty for a top folder. */
export interface FolderPath {
  readonly id: string;
  readonly ext_id: string;
  readonly ancestors: readonly string[];
}

/** Returns the existing folders among those that a batch names and their parents, by the customer's id. */
export async function namedFolders(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folders: readonly FolderInput[],
): Promise<ReadonlyMap<string, FolderPath>> {
  const found = await tablesOf(em)
    .selectFrom('folder')
    .select(['id', 'ext_id', 'ancestors'])
    .where('api_key_id', '=', tenant.id)
    .where('org_id', '=', organization.id)
    .where('ext_id', '=', anyOf(namedIds(folders)))
    .$narrowType<{ ext_id: string }>()
    .execute();
  return new Map(found.map((folder) => [folder.ext_id, folder]));
}

/** The customer's ids of the folders of a batch and of their parents. */
export function namedIds(folders: readonly FolderInput[]): string[] {
  const ids = new Set(folders.map(({ folderId }) => folderId));
  for (const { parentFolderId } of folders) if (parentFolderId !== undefined) ids.add(parentFolderId);
  return [...ids];
}
