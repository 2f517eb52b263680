import { z } from 'zod';
import { deleteOrganizations as remove } from '../../domain/cascade/delete-organizations.ts';
import { deletionReply } from '../deletion-reply.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { ids } from '../schemas.ts';

export const deleteOrganizations = endpoint({
  paths: bothVersions('organizations/delete'),
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'organization.delete' },
  summary:
    'Deletes organizations and everything in them. They are gone, and their ids reusable, when the call returns.',
  data: z.strictObject({ organizationIds: ids() }),
  response: batchResponse(),
  errors: [],
  example: { organizationIds: ['acme'] },
  async handle({ data, tenant }, work) {
    const deletion = await remove(work.em, tenant, data.organizationIds);
    return deletionReply('Organization(s) deleted successfully.', deletion, work);
  },
});
