import { z } from 'zod';
import { readOrganizations, readOrganizationsById } from '../../domain/organizations/read-organizations.ts';
import { listAnswer, pageOf, type PageReader } from '../http/answer.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { ids, paging } from '../schemas.ts';
import { organizationAnswer, organizationView } from './organization.ts';

export const getOrganizations = endpoint({
  paths: bothVersions('organizations/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Reads organizations by id, in the order asked for, or all of them in the order of their ids.',
  data: z
    .strictObject({ organizationIds: ids(30).optional(), ...paging })
    .check(exclude('organizationIds', 'pageToken')),
  answer: listAnswer(organizationAnswer, { everythingOn: ['/v1/organizations/get'] }),
  errors: [],
  example: { organizationIds: ['acme'] },
  async handle({ data: { organizationIds }, tenant }, { em }) {
    const message = 'Organization(s) retrieved successfully.';
    if (organizationIds !== undefined) {
      const found = await readOrganizationsById(em, tenant, organizationIds);
      return { message, list: found.map(organizationView) };
    }
    const list: PageReader<ReturnType<typeof organizationView>> = async (after, limit) => {
      const found = await readOrganizations(em, tenant, {
        after: after && String(after[0]),
        limit: limit + 1,
      });
      return pageOf(found, limit, { view: organizationView, position: ({ ext_id }) => [ext_id] });
    };
    return { message, list };
  },
});
