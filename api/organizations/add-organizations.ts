import { z } from 'zod';
import { addOrganizations as add } from '../../domain/organizations/write-organizations.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { records } from '../schemas.ts';
import { organizationInput, toOrganizationInput } from './organization.ts';

export const addOrganizations = endpoint({
  paths: bothVersions('organizations/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds organizations. Updates organizations that exist.',
  data: z.strictObject({ organizations: records(organizationInput, 'organizationId') }),
  response: batchResponse(),
  errors: ['FAILED_PRECONDITION'],
  example: { organizations: [{ organizationId: 'acme', organizationName: 'Acme', plan: 'gold' }] },
  async handle({ data, tenant }, { em }) {
    const items = await add(em, tenant, data.organizations.map(toOrganizationInput));
    return { message: 'Organization(s) added successfully.', items };
  },
});
