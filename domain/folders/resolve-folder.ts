import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockFolderTree, rootFolder } from './folder-tree.ts';

/** A folder as statements name it: by its surrogate key. */
export interface ResolvedFolder {
  readonly id: string;
}

/** For a read. Null for `root`; throws NOT_FOUND for a folder that the organization does not have. */
export async function findFolder(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
): Promise<ResolvedFolder | null> {
  if (folderId === rootFolder) return null;
  const found = await row<ResolvedFolder>(
    em,
    'select id from folder where api_key_id = $1 and org_id = $2 and ext_id = $3',
    [tenant.id, organization.id, folderId],
  );
  if (found === undefined) throw notFound(messages.folderMissing);
  return found;
}

/**
 * For a write below a folder: locks the row FOR KEY SHARE, so that a deletion of it, or of a folder above, waits for this
 * transaction, and one that came first is seen. With `create` given (the operation has the flag `createFolder`), makes
 * the folder at the top when that is true, named by its id. Null for `root`.
 */
export async function lockFolder(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
  create?: boolean,
): Promise<ResolvedFolder | null> {
  if (folderId === rootFolder) return null;
  let found = await lock(em, tenant, organization, folderId);
  if (found === undefined && create === true) {
    await lockFolderTree(em, organization);
    await row(
      em,
      `insert into folder (api_key_id, org_id, ext_id, name) values ($1, $2, $3, $3)
       on conflict (org_id, ext_id) do nothing`,
      [tenant.id, organization.id, folderId],
    );
    found = await lock(em, tenant, organization, folderId);
  }
  if (found === undefined) {
    throw notFound(create === undefined ? messages.folderMissing : messages.folderMissingFlag);
  }
  return found;
}

async function lock(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
): Promise<ResolvedFolder | undefined> {
  return row(
    em,
    'select id from folder where api_key_id = $1 and org_id = $2 and ext_id = $3 for key share',
    [tenant.id, organization.id, folderId],
  );
}
