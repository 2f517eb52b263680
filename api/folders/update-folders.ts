import { z } from 'zod';
import { updateFolders as update } from '../../domain/folders/update-folders.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { customerId, records } from '../schemas.ts';
import { changedFolder, toChangedFolder } from './folder.ts';

export const updateFolders = endpoint({
  paths: bothVersions('organizations/folders/update'),
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Renames folders, moves them with everything below, and updates their metadata. A metadata member sent as null is removed.',
  data: z.strictObject({ organizationId: customerId, folders: records(changedFolder, 'folderId') }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', folders: [{ folderId: 'plans-2027', parentFolderId: 'root' }] },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId);
    const items = await update(em, tenant, organization, data.folders.map(toChangedFolder));
    return { message: 'Folder Updated successfully.', items };
  },
});
