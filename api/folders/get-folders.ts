import { z } from 'zod';
import { maxFolderDepth } from '../../domain/folders/folder-tree.ts';
import { readFolderTree, treeTooLarge } from '../../domain/folders/read-folder-tree.ts';
import { readFolders } from '../../domain/folders/read-folders.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { listResponse } from '../http/response/list.ts';
import { textPages } from '../http/response/row-pages.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { paging } from '../http/response/list.ts';
import { customerId, idOf, integer } from '../schemas.ts';
import { branchView, folderResponse, folderView } from './folder.ts';

const paths = bothVersions('organizations/folders/get');

export const getFolders = endpoint({
  paths,
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns one folder with its subfolders, or all folders of an organization in id order.',
  description:
    'With `folderId`, the response is a list of one folder; `root` returns the top folders, nested down ' +
    'to `maxDepth` - 1. More than 10,000 folders or 10 MiB in one nested response fail with ' +
    '`INVALID_ARGUMENT`. Without `folderId`, folders are not nested, and a request without `pageSize` ' +
    'returns all of them in one streamed response. An unknown organization or folder fails with ' +
    '`NOT_FOUND`.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      folderId: customerId
        .optional()
        .describe(
          'Id of the folder to return, max 1,000 bytes; `root` for the top level. Absent: all folders of the ' +
            'organization.',
        ),
      maxDepth: integer(0, maxFolderDepth)
        .default(1)
        .describe('Levels of subfolders below the folder. Has no effect without `folderId`.'),
      rootFoldersOnly: z
        .boolean()
        .optional()
        .describe('True returns only folders at the top level. Excludes `folderId`.'),
      ...paging,
    })
    .check(exclude('folderId', 'rootFoldersOnly'))
    .check(exclude('folderId', 'pageSize'))
    .check(exclude('folderId', 'pageToken')),
  response: listResponse(folderResponse, { unpagedPaths: paths }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', folderId: 'plans', maxDepth: 2 },
  async handle({ data, tenant }, { em }) {
    const { organizationId, folderId, maxDepth, rootFoldersOnly: topOnly = false } = data;
    const organization = await findOrganization(em, tenant, organizationId);
    const home = { tenant, organizationId };
    if (folderId !== undefined) {
      return {
        message: 'Folder(s) retrieved successfully.',
        whole: async (maxBytes) => {
          const found = await readFolderTree(em, tenant, organization, { folderId, maxDepth }, maxBytes);
          return found?.map(branchView(home));
        },
        tooLarge: () => treeTooLarge('more than 10 MiB'),
      };
    }
    const view = folderView(home);
    const list = textPages(async (after, limit) => {
      const { folders, next, cut } = await readFolders(em, tenant, organization, { topOnly, after, limit });
      return { items: folders.map(view), next, cut };
    });
    return { message: 'Folders retrieved successfully.', list };
  },
});
