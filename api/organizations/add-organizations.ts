import { z } from 'zod';
import { addOrganizations as add } from '../../domain/organizations/add-or-update-organizations.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { records } from '../schemas.ts';
import { organizationInput, toOrganizationInput } from './organization.ts';

export const addOrganizations = endpoint({
  paths: bothVersions('organizations/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds organizations and updates those that exist.',
  description:
    'Adds up to 1,000 organizations in one transaction. An organization that exists is updated: its name ' +
    'changes when sent, its metadata is merged, and `disabled` is kept. Fields beyond the schema are ' +
    'free metadata, max 16 KiB per organization, which responses return next to the known fields. If an ' +
    'id occurs twice, the last one counts. Fails with `FAILED_PRECONDITION` while the data of a user ' +
    'named in the metadata is being deleted. One that would hold more than 64 KiB of metadata is not ' +
    'changed and fails with `invalid-argument`, without affecting the others. Emits no event; repeating ' +
    'the call changes nothing.',
  data: z.strictObject({
    organizations: records(organizationInput, 'organizationId').describe('Organizations to add, max 1,000.'),
  }),
  response: batchResponse(),
  errors: ['FAILED_PRECONDITION'],
  example: { organizations: [{ organizationId: 'acme', organizationName: 'Acme', plan: 'gold' }] },
  async handle({ data, tenant }, { em }) {
    const items = await add(em, tenant, data.organizations.map(toOrganizationInput));
    return { message: 'Organization(s) added successfully.', items };
  },
});
