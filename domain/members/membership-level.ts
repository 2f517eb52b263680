import type { EntityManager } from '../../platform/database/orm.ts';
import { findDocument, lockDocument } from '../documents/resolve-document.ts';
import { addFoldersIn } from '../folders/add-folders.ts';
import { folderTexts } from '../folders/folder-texts.ts';
import { findFolder, folderOf, lockFolder, type ResolvedFolder } from '../folders/resolve-folder.ts';
import { isOpen, refuseClosed } from '../closed-rows.ts';
import { failedPrecondition, notFound } from '../errors.ts';
import {
  findOrganization,
  lockOrganization,
  type ResolvedOrganization,
} from '../organizations/resolve-organization.ts';
import { resourceKindNumbers, type ResourceKind } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** The level of a membership by the customer's ids: an organization, or one of its documents or folders. */
export interface LevelRequest {
  readonly organizationId: string;
  readonly documentId?: string | undefined;
  readonly folderId?: string | undefined;
}

/** Flags of an operation that may create missing resources. */
export interface LevelFlags {
  readonly createOrganization: boolean;
  readonly createDocument: boolean;
  readonly createFolder: boolean;
  /** Parent of the folder that `createFolder` creates; the top level if undefined. */
  readonly parentFolderId?: string | undefined;
}

/** The level of a membership by surrogate keys. */
export interface MembershipLevel {
  readonly organization: string;
  /** Kind number in the table `access`. */
  readonly kind: (typeof resourceKindNumbers)[ResourceKind];
  readonly resource: string;
}

/** Finds a level for a read. Throws NOT_FOUND for a missing resource. */
export async function findLevel(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId, folderId }: LevelRequest,
): Promise<MembershipLevel> {
  const organization = await findOrganization(em, tenant, organizationId);
  const document = documentId === undefined ? null : await findDocument(em, organization, documentId);
  const folder = folderId === undefined ? null : await findFolder(em, tenant, organization, folderId);
  return levelOf(organization, document, folder);
}

/** Locks organization and resource FOR KEY SHARE for a write. Without flags it creates nothing. */
export async function lockLevel(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId, folderId }: LevelRequest,
  flags?: LevelFlags,
): Promise<MembershipLevel> {
  const organization = await lockOrganization(em, tenant, organizationId, flags?.createOrganization);
  const document =
    documentId === undefined
      ? null
      : await lockDocument(em, tenant, organization, documentId, flags?.createDocument);
  if (folderId === undefined) return levelOf(organization, document, null);
  const { createFolder, parentFolderId } = flags ?? {};
  const folder =
    createFolder === true && parentFolderId !== undefined
      ? await lockBelow(em, tenant, organization, { folderId, parentFolderId })
      : await lockFolder(em, tenant, organization, folderId, createFolder);
  return levelOf(organization, null, folder);
}

function levelOf(
  organization: ResolvedOrganization,
  document: { readonly id: string } | null,
  folder: ResolvedFolder | null,
): MembershipLevel {
  if (document !== null) {
    return { organization: organization.id, kind: resourceKindNumbers.document, resource: document.id };
  }
  if (folder !== null) {
    return { organization: organization.id, kind: resourceKindNumbers.folder, resource: folder.id };
  }
  return {
    organization: organization.id,
    kind: resourceKindNumbers.organization,
    resource: organization.id,
  };
}

/**
 * Locks a folder like `lockFolder`, and creates a missing one below its parent, never at the top level. An existing folder
 * is not moved, and the tree is then not locked.
 */
async function lockBelow(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  { folderId, parentFolderId }: { readonly folderId: string; readonly parentFolderId: string },
): Promise<ResolvedFolder | null> {
  // Waits for a running deletion of the folder, which a read without a lock would not see.
  const known = await folderOf(em, tenant, organization, folderId)
    .where(isOpen('folder'))
    .forKeyShare()
    .executeTakeFirst();
  if (known !== undefined) return known;
  // A deletion that waits for writers holds the tree, which `addFoldersIn` locks.
  await refuseClosed(em, 'folder', organization, [folderId, parentFolderId]);
  const outcomes = await addFoldersIn(em, tenant, organization, [{ folderId, parentFolderId, metadata: {} }]);
  const code = outcomes.get(folderId)?.code;
  if (code === 'not-found') throw notFound(folderTexts.parentMissing);
  if (code === 'failed-precondition') throw failedPrecondition(folderTexts.tooDeep);
  return lockFolder(em, tenant, organization, folderId);
}
