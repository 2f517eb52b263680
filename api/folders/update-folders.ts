import { z } from 'zod';
import { updateFolders as update } from '../../domain/folders/update-folders.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { idOf, records } from '../schemas.ts';
import { changedFolder, toChangedFolder } from './folder.ts';

export const updateFolders = endpoint({
  paths: bothVersions('organizations/folders/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Renames folders, moves them with everything below, and updates their metadata.',
  description:
    'A metadata field sent as null is removed. Updates up to 1,000 folders in one transaction, in the ' +
    'order sent: each update sees the result of the previous ones. Fields that are not sent keep their ' +
    'value, and free metadata is merged. Items fail individually, and a failed folder is not changed. An ' +
    'unknown folder or parent fails with `not-found`. A move into itself or beyond 64 levels fails with ' +
    '`failed-precondition`. A folder that would hold more than 64 KiB of metadata fails with ' +
    '`invalid-argument`. A move of hundreds of thousands of subfolders that takes over 10 seconds changes ' +
    'nothing and fails with `DEADLINE_EXCEEDED`: move subfolders first. An unknown organization fails the call ' +
    'with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is ' +
    'being deleted. Emits no event.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    folders: records(changedFolder, 'folderId', { position: 'last' }).describe(
      'Folders to update, max 1,000. If an id occurs twice, the last one counts, in its position.',
    ),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', folders: [{ folderId: 'plans-2027', parentFolderId: 'root' }] },
  async handle({ data, tenant }, { em }) {
    const items = await update(em, tenant, data.organizationId, data.folders.map(toChangedFolder));
    return { message: 'Folder Updated successfully.', items };
  },
});
