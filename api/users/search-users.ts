import { z } from 'zod';
import {
  maxOrganizations,
  searchUsers as search,
  type FoundUser,
} from '../../domain/members/search-users.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse } from '../http/response/list.ts';
import { searchPages, searchRequest, shortSearchPages } from '../cross-resource/search-pages.ts';

const foundUser = z
  .strictObject({
    userId: z.string().describe('Id of the user.'),
    name: z.string().describe('Name of the user; empty without one.'),
    email: z.string().describe('E-mail address of the user; empty without one.'),
    organizationIds: z
      .array(z.string())
      .describe(
        `Ids of the organizations in which the user is a member or has a grant, the oldest first, max ${String(maxOrganizations)}. ` +
          'Grants count up to 30 days after they expired. Memberships and grants of deleted documents and ' +
          'folders count until a job has removed them.',
      ),
  })
  .meta({ id: 'FoundUser' });

export const searchUsers = endpoint({
  paths: ['/v2/users/search'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns users of every organization whose id, e-mail address or name starts with a prefix.',
  description:
    'Those found by id come first, then those found by e-mail address, then those found by name, each in its order. ' +
    `Includes users without a membership. Addresses are compared in lowercase. ${shortSearchPages}`,
  data: z.strictObject(searchRequest('the id, the e-mail address or the name')),
  response: listResponse(foundUser, { unpagedPaths: [] }),
  errors: [],
  example: { prefix: 'ada', pageSize: 20 },
  async handle({ data: { prefix }, tenant }, { em }) {
    const list = searchPages(async (range) => search(em, tenant, prefix, range), view);
    return { message: 'User(s) retrieved successfully.', list };
  },
});

const view = ({ ext_id, name, email, organizations }: FoundUser): z.input<typeof foundUser> => ({
  userId: ext_id,
  name,
  email,
  organizationIds: [...(organizations ?? [])],
});
