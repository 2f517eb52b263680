import { z } from 'zod';
import { updateOrganizations as update } from '../../domain/organizations/add-or-update-organizations.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { records } from '../schemas.ts';
import { organizationInput, toOrganizationInput } from './organization.ts';

export const updateOrganizations = endpoint({
  paths: bothVersions('organizations/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Updates names and metadata of organizations.',
  description:
    'A metadata field sent as null is removed. Updates up to 1,000 organizations in one transaction. Fields ' +
    'that are not sent keep their value, and free metadata is merged field by field. An unknown organization ' +
    'fails with `not-found`, one that would hold more than 64 KiB of metadata with `invalid-argument`; the ' +
    'others are updated. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is ' +
    'being deleted. Emits no event.',
  data: z.strictObject({
    organizations: records(organizationInput, 'organizationId').describe(
      'Organizations to update, max 1,000.',
    ),
  }),
  response: batchResponse(),
  errors: ['FAILED_PRECONDITION'],
  example: { organizations: [{ organizationId: 'acme', plan: null }] },
  async handle({ data, tenant }, { em }) {
    const items = await update(em, tenant, data.organizations.map(toOrganizationInput));
    return { message: 'Organization(s) updated successfully.', items };
  },
});
