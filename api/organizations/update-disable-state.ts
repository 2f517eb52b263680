import { z } from 'zod';
import { setOrganizationsDisabled } from '../../domain/organizations/write-organizations.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { ids } from '../schemas.ts';

export const updateOrganizationsDisableState = endpoint({
  paths: bothVersions('organizations/access/disablestate/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Disables or re-enables access to organizations.',
  data: z.strictObject({
    organizationIds: ids(),
    disabled: z.boolean(),
    createOrganization: z.boolean().default(false),
  }),
  response: batchResponse(),
  errors: [],
  example: { organizationIds: ['acme'], disabled: true },
  async handle({ data, tenant }, { em }) {
    const items = await setOrganizationsDisabled(em, tenant, { ...data, create: data.createOrganization });
    return { message: 'Updated disable state for Organization(s) successfully.', items };
  },
});
