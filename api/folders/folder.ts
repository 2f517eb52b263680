import { z } from 'zod';
import type { FolderInput } from '../../domain/folders/folder-input.ts';
import { rootFolder } from '../../domain/folders/folder-tree.ts';
import type { FolderBranch } from '../../domain/folders/read-folder-tree.ts';
import type { FolderRow } from '../../domain/folders/read-folders.ts';
import { accessTypeName } from '../../domain/tenancy/access-types.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { reservedMember } from '../http/request/issues.ts';
import { metadataOf, openRecord } from '../metadata.ts';
import { rule } from '../rules.ts';
import { accessType, customerId, folderId, milliseconds, name } from '../schemas.ts';

const knownToUpdate = {
  folderId,
  folderName: name.optional(),
  parentFolderId: customerId.optional(),
};
const knownToAdd = { ...knownToUpdate, accessType: accessType.optional() };

/** Rejects `subFolders` as metadata: responses use that member for nested folders. */
function reserveSubFolders(record: object, context: z.core.$RefinementCtx): void {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, 'subFolders')) return;
  context.addIssue({
    code: 'custom',
    path: ['subFolders'],
    message: 'Unknown member: <m>.',
    params: reservedMember,
  });
}

/** A folder in a request. Unknown members are free metadata. */
export const newFolder = openRecord(knownToAdd).superRefine(reserveSubFolders, { when: () => true });

export const changedFolder = openRecord(knownToUpdate)
  .superRefine(reserveSubFolders, { when: () => true })
  .check(
    rule(
      'At least one member besides folderId must be provided.',
      { minProperties: 2 },
      (record, context) => {
        if (Object.keys(record).length > 1) return;
        context.addIssue({
          code: 'custom',
          message: 'At least one member besides folderId must be provided.',
        });
      },
    ),
  );

/** Separates the known members of a new folder from the free metadata. */
export function toNewFolder(sent: z.output<typeof newFolder>): FolderInput {
  const { folderId: id, folderName, parentFolderId, accessType: type } = sent;
  const metadata = metadataOf(sent, knownToAdd);
  return { folderId: id, folderName, parentFolderId, accessType: type, metadata };
}

/** Separates the known members of a folder update from the free metadata. */
export function toChangedFolder(sent: z.output<typeof changedFolder>): FolderInput {
  const { folderId: id, folderName, parentFolderId } = sent;
  return { folderId: id, folderName, parentFolderId, metadata: metadataOf(sent, knownToUpdate) };
}

export const folderResponse = z.looseObject({
  folderId: z.string(),
  folderName: z.string(),
  organizationId: z.string(),
  parentFolderId: z.string(),
  apiKey: z.string(),
  createdAt: milliseconds,
  lastUpdated: milliseconds,
  ancestors: z.array(z.string()),
  accessType: accessType.nullable(),
  inheritAccessFromParent: z.boolean(),
  /** Present when the request names a `folderId`, down to `maxDepth`. */
  get subFolders() {
    return z.array(folderResponse).optional();
  },
});

/** Context of a folder that its row does not hold. */
export interface FolderHome {
  readonly tenant: Tenant;
  readonly organizationId: string;
}

/** Converts folder rows to responses without subfolders. */
export function folderView({ tenant, organizationId }: FolderHome) {
  return (row: FolderRow) => ({
    ...row.metadata,
    folderId: row.ext_id,
    folderName: row.name,
    organizationId,
    parentFolderId: row.above.at(-1) ?? rootFolder,
    apiKey: tenant.apiKey,
    createdAt: row.created_at,
    lastUpdated: row.updated_at,
    ancestors: [rootFolder, ...row.above],
    accessType: row.access_type === null ? null : accessTypeName(row.access_type),
    inheritAccessFromParent: row.access_type === null,
  });
}

type NestedFolder = ReturnType<ReturnType<typeof folderView>> & { subFolders?: NestedFolder[] };

/** Converts folders to responses with all the subfolders that were read. */
export function branchView(home: FolderHome) {
  const view = folderView(home);
  const nested = ({ folder, subFolders }: FolderBranch): NestedFolder => ({
    ...view(folder),
    ...(subFolders !== undefined && { subFolders: subFolders.map(nested) }),
  });
  return nested;
}
