import { z } from 'zod';
import {
  readOrganizations,
  readOrganizationsById,
  readSmallOrganizations,
} from '../../domain/organizations/read-organizations.ts';
import { listResponse } from '../http/response/list.ts';
import { textPages } from '../http/response/row-pages.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { paging } from '../http/response/list.ts';
import { ids } from '../schemas.ts';
import { organizationResponse, organizationView } from './organization.ts';

export const getOrganizations = endpoint({
  paths: bothVersions('organizations/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns organizations: by id in the order requested, or all of them in id order.',
  description:
    'Ids that do not exist are left out. Organizations requested by id have no pages. On `/v1`, a request ' +
    'without `pageSize` returns all organizations in one streamed response; `/v2` returns pages of ' +
    '1,000. Order is by byte value of the ids and stays stable while organizations are added.',
  data: z
    .strictObject({
      organizationIds: ids(30)
        .optional()
        .describe('Ids of the organizations to return, max 30. Absent: all organizations of the API key.'),
      ...paging,
    })
    .check(exclude('organizationIds', 'pageToken')),
  response: listResponse(organizationResponse, { unpagedPaths: ['/v1/organizations/get'] }),
  errors: [],
  example: { organizationIds: ['acme'] },
  async handle({ data: { organizationIds }, tenant }, { em }) {
    const message = 'Organization(s) retrieved successfully.';
    const list = textPages(async (after, limit) => {
      if (organizationIds !== undefined) {
        const small = await readSmallOrganizations(em, tenant, organizationIds);
        const { organizations, cut } =
          small === undefined
            ? await readOrganizationsById(em, tenant, organizationIds, limit)
            : { organizations: small, cut: false };
        return { items: organizations.map(organizationView), next: undefined, cut };
      }
      const { organizations, next, cut } = await readOrganizations(em, tenant, { after, limit });
      return { items: organizations.map(organizationView), next, cut };
    });
    return { message, list };
  },
});
