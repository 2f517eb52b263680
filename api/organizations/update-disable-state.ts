import { z } from 'zod';
import { setOrganizationsDisabled } from '../../domain/organizations/set-organizations-disabled.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { createFlag, ids } from '../schemas.ts';

export const updateOrganizationsDisableState = endpoint({
  paths: bothVersions('organizations/access/disablestate/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Disables or re-enables access to organizations.',
  description:
    'While an organization is disabled, access checks in it fail and no token is generated for it. ' +
    'Administrative calls still work, so its data can be read and changed. An unknown organization fails ' +
    'with `not-found`, without affecting the others, unless `createOrganization` is true. Emits no ' +
    'event; repeating the call changes nothing.',
  data: z.strictObject({
    organizationIds: ids().describe('Ids of the organizations, max 1,000.'),
    disabled: z.boolean().describe('True turns access off, false turns it on again.'),
    createOrganization: createFlag('the organization'),
  }),
  response: batchResponse(),
  errors: [],
  example: { organizationIds: ['acme'], disabled: true },
  async handle({ data, tenant }, { em }) {
    const items = await setOrganizationsDisabled(em, tenant, { ...data, create: data.createOrganization });
    return { message: 'Updated disable state for Organization(s) successfully.', items };
  },
});
