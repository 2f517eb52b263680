import { z } from 'zod';
import { addFolders as add } from '../../domain/folders/add-folders.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { createFlag, idOf, records } from '../schemas.ts';
import { newFolder, toNewFolder } from './folder.ts';

export const addFolders = endpoint({
  paths: bothVersions('organizations/folders/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds folders to an organization.',
  description:
    'Parents and children may be sent in any order. Adds up to 1,000 folders in one transaction, max 64 ' +
    'levels deep. A folder that exists fails with `already-exists`, one without a parent with ' +
    '`not-found`, and one beyond 64 levels with `failed-precondition`. Folders below the latter two fail ' +
    'with them; the others are added. Fields beyond the schema are free metadata, max 16 KiB per folder. An unknown ' +
    'organization fails the call with `NOT_FOUND` unless `createOrganization` is true. Fails with ' +
    '`FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. Emits no ' +
    'event.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    folders: records(newFolder, 'folderId').describe('Folders to add, max 1,000.'),
    createOrganization: createFlag('the organization'),
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
    const items = await add(em, tenant, { ...data, folders: data.folders.map(toNewFolder) });
    return { message: 'Folder created successfully.', items };
  },
});
