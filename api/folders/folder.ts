import { z } from 'zod';
import type { FolderInput } from '../../domain/folders/folder-input.ts';
import { rootFolder } from '../../domain/folders/folder-tree.ts';
import type { FolderBranch } from '../../domain/folders/read-folder-tree.ts';
import type { FolderRow } from '../../domain/folders/read-folders.ts';
import { accessTypeName } from '../../domain/tenancy/access-types.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import { metadataOf, openRecord } from '../cross-resource/metadata.ts';
import { rule } from '../rules.ts';
import { accessType, customerId, folderId, milliseconds, name } from '../schemas.ts';

const knownToUpdate = {
  folderId,
  folderName: name
    .optional()
    .describe('Name of the folder, max 1,000 characters. A new folder without one is named by its id.'),
  parentFolderId: customerId
    .optional()
    .describe(
      'Id of the parent folder, max 1,000 bytes; `root` for the top level. Absent: the top level for a new ' +
        'folder, no move for an update.',
    ),
};
const knownToAdd = {
  ...knownToUpdate,
  accessType: accessType
    .optional()
    .describe(
      'Access type set on the folder itself. Absent: inherited from the parent, at the top level the ' +
        'default of the API key.',
    ),
};

const responseOnly = ['subFolders'];

/** A folder in a request. Unknown members are free metadata. */
export const newFolder = openRecord(knownToAdd, responseOnly);

export const changedFolder = openRecord(knownToUpdate, responseOnly).check(
  rule(
    'At least one member besides folderId must be provided.',
    { minProperties: 2 },
    [],
    (record, context) => {
      if (Object.keys(record).some((member) => member !== 'folderId')) return;
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

export const folderResponse = z
  .looseObject({
    folderId: z.string().describe('Id of the folder.'),
    folderName: z.string().describe('Name of the folder.'),
    organizationId: z.string().describe('Id of the organization.'),
    parentFolderId: z.string().describe('Id of the parent folder; `root` at the top level.'),
    apiKey: z.string().describe('API key that the folder belongs to.'),
    createdAt: milliseconds.describe('When the folder was added, in milliseconds since the epoch.'),
    lastUpdated: milliseconds.describe('When the folder last changed, in milliseconds since the epoch.'),
    ancestors: z.array(z.string()).describe('Ids of the folders above, from `root` to the parent.'),
    accessType: accessType
      .nullable()
      .describe('Access type set on the folder itself. Null when it is inherited.'),
    inheritAccessFromParent: z.boolean().describe('True when the folder has no access type of its own.'),
    get subFolders() {
      return z
        .array(folderResponse)
        .optional()
        .describe('Subfolders, down to `maxDepth`. Present only when the request has `folderId`.');
    },
  })
  .meta({ id: 'Folder' });

/** Context of a folder that its row does not contain. */
export interface FolderHome {
  readonly tenant: CallingTenant;
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
