import type { EntityManager } from '../../platform/database/orm.ts';
import { isOpen, refuseClosed } from '../closed-rows.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { lockFolderTree, rootFolder } from './folder-tree.ts';

/** A folder by its surrogate key. */
export interface ResolvedFolder {
  readonly id: string;
}

/** Finds a folder for a read. Null for `root`. Throws NOT_FOUND for a folder that the organization does not have. */
export async function findFolder(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
): Promise<ResolvedFolder | null> {
  if (folderId === rootFolder) return null;
  const found = await folderOf(em, tenant, organization, folderId).executeTakeFirst();
  if (found === undefined) throw notFound(messages.folderMissing);
  return found;
}

/**
 * Locks a folder FOR KEY SHARE for a write below it, so that a deletion of it or of an ancestor waits for this transaction.
 * `create` is the operation's flag `createFolder`, undefined if it has none: true creates a missing folder at the top level,
 * named by its id. Null for `root`. Throws ABORTED while a deletion waits for other writers.
 */
export async function lockFolder(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
  create?: boolean,
): Promise<ResolvedFolder | null> {
  if (folderId === rootFolder) return null;
  const wanted = folderOf(em, tenant, organization, folderId).where(isOpen('folder')).forKeyShare();
  let found = await wanted.executeTakeFirst();
  if (found === undefined && create === true) {
    // A deletion that waits for writers holds the tree.
    await refuseClosed(em, 'folder', organization, [folderId]);
    await lockFolderTree(em, organization);
    const { numInsertedOrUpdatedRows: created } = await tablesOf(em)
      .insertInto('folder')
      .values({ api_key_id: tenant.id, org_id: organization.id, ext_id: folderId, name: folderId })
      .onConflict((conflict) => conflict.columns(['org_id', 'ext_id']).doNothing())
      .executeTakeFirstOrThrow();
    countUsage(em, tenant.id, 'folders', Number(created));
    found = await wanted.executeTakeFirst();
  }
  if (found === undefined) {
    await refuseClosed(em, 'folder', organization, [folderId]);
    throw create === undefined
      ? notFound(messages.folderMissing, { folderId })
      : notFound(messages.folderMissingFlag);
  }
  return found;
}

/** The folder with this id, for a call to lock. */
export const folderOf = (
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
) =>
  tablesOf(em)
    .selectFrom('folder')
    .select('id')
    .where('api_key_id', '=', tenant.id)
    .where('org_id', '=', organization.id)
    .where('ext_id', '=', folderId);
