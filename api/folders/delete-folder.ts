import { z } from 'zod';
import { closeFolders } from '../../domain/cascade/close-for-deletion.ts';
import { deleteFolder as remove } from '../../domain/cascade/delete-folder.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { closeRowsBeforeDeletion } from '../cross-resource/close-rows-before-deletion.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { folderId, idOf } from '../schemas.ts';

export const deleteFolder = outsideEndpoint({
  paths: ['/v2/organizations/folders/delete'],
  credentials: 'apiKey',
  audit: { action: 'folder.delete', target: ({ data }) => data.folderId },
  summary: 'Deletes a folder, its subfolders and their documents.',
  description:
    'All are gone, and their ids reusable, when the call returns. Subfolders, documents and their records ' +
    'become invisible in the same transaction. The call waits for running writes to the folders for up to 10 ' +
    'seconds; meanwhile further writes fail with `ABORTED`. A job, `result.jobId`, then deletes the rows; it ' +
    'cannot be canceled. Running migrations of the documents end as failed and emit ' +
    '`document.migration_failed`. A deletion of hundreds of thousands of subfolders that takes over 10 seconds ' +
    'changes nothing and fails with `DEADLINE_EXCEEDED`: delete subfolders first. The audit log records the ' +
    'call. An unknown organization or folder fails with `NOT_FOUND`.',
  data: z.strictObject({ organizationId: idOf('the organization'), folderId }),
  response: dataResponse(z.null(), ['jobId']),
  errors: ['NOT_FOUND', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', folderId: 'plans' },
  outside: {
    ...closeRowsBeforeDeletion,
    async prepare({ data, tenant }, { em }) {
      const organization = await lockOrganization(em, tenant, data.organizationId);
      return closeFolders(em, tenant, organization, data.folderId);
    },
  },
  async handle({ data, tenant }, { em, startJob, audit }) {
    const { organizationId } = data;
    const { id } = await lockOrganization(em, tenant, organizationId);
    const job = await remove(em, tenant, { id, organizationId }, data.folderId);
    startJob(job);
    audit.changed({ organizationId }, null);
    return succeeded('Folder deletion initiated successfully.', null, { jobId: job.jobId });
  },
});
