import { z } from 'zod';
import { addFolders as add } from '../../domain/folders/add-folders.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { customerId, records } from '../schemas.ts';
import { newFolder, toNewFolder } from './folder.ts';

export const addFolders = endpoint({
  paths: bothVersions('organizations/folders/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds folders to an organization. Parents and children may be sent in any order.',
  data: z.strictObject({
    organizationId: customerId,
    folders: records(newFolder, 'folderId'),
    createOrganization: z.boolean().default(false),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    folders: [
      { folderId: 'plans', folderName: 'Plans', accessType: 'restricted' },
      { folderId: 'plans-2027', parentFolderId: 'plans' },
    ],
  },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId, data.createOrganization);
    const items = await add(em, tenant, organization, data.folders.map(toNewFolder));
    return { message: 'Folder created successfully.', items };
  },
});
