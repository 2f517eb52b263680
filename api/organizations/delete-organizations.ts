import { z } from 'zod';
import { closeOrganizations } from '../../domain/cascade/close-for-deletion.ts';
import { deleteOrganizations as remove } from '../../domain/cascade/delete-organizations.ts';
import { closeRowsBeforeDeletion } from '../cross-resource/close-rows-before-deletion.ts';
import { batchDeletionReply } from '../cross-resource/batch-deletion-reply.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions } from '../http/endpoint.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { ids } from '../schemas.ts';

export const deleteOrganizations = outsideEndpoint({
  paths: bothVersions('organizations/delete'),
  credentials: 'apiKey',
  audit: { action: 'organization.delete' },
  summary: 'Deletes organizations and everything in them.',
  description:
    'The organizations are gone, and their ids reusable, when the call returns. Memberships, grants, ' +
    'folders, documents, groups and records of the organizations become invisible in the same transaction. ' +
    'The call waits for running writes in the organizations for up to 10 seconds; meanwhile further writes ' +
    'fail with `ABORTED`. A job, `result.jobId`, then deletes their rows; it cannot be canceled. Users are ' +
    'kept, because they belong to the API key. An unknown organization fails with `not-found`, without affecting the others. ' +
    'Migrations that run in the organizations end as failed and emit `document.migration_failed`. The audit ' +
    'log records the call.',
  data: z.strictObject({
    organizationIds: ids().describe('Ids of the organizations to delete, max 1,000.'),
  }),
  response: batchResponse({}, ['jobId']),
  errors: [],
  example: { organizationIds: ['acme'] },
  outside: {
    ...closeRowsBeforeDeletion,
    async prepare({ data, tenant }, { em }) {
      return closeOrganizations(em, tenant, data.organizationIds);
    },
  },
  async handle({ data, tenant }, work) {
    const deletion = await remove(work.em, tenant, data.organizationIds);
    return batchDeletionReply('Organization(s) deleted successfully.', deletion, work);
  },
});
