import { z } from 'zod';
import { readPosition, readUserData, writePosition } from '../../domain/deletion/export/read-user-data.ts';
import { pagedResponse } from '../http/response/paged.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { idOf, text } from '../schemas.ts';
import { userData, userDataView } from './user-data.ts';

export const getUserData = endpoint({
  paths: bothVersions('users/data/get'),
  credentials: 'apiKey',
  mutates: false,
  audit: { action: 'user_data.export', users: ({ data }) => [data.userId] },
  summary: 'Exports all data of a user in an organization.',
  description:
    'A page has up to 100 records of each kind and 10 MiB. Exports the data that ' +
    '`/v2/users/data/delete` deletes for the user in this organization, except events and responses of ' +
    'their receivers, former addresses, keys in metadata of other users and of webhook endpoints, and caches: ' +
    'of decisions of the permission provider, and of the Slack account of the user. Every page continues all lists; read on until `nextPageToken` is absent, ' +
    'because a page may be short. `user` is on the first page only. An unknown user or organization ' +
    'returns empty lists. The audit log records the call.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    userId: idOf('the user'),
    pageToken: z
      .string()
      .optional()
      .describe('Position of the page: `nextPageToken` of the previous response. Absent for the first page.'),
    uniqueId: text(1_000).optional().meta({ description: 'Ignored.' }),
  }),
  response: pagedResponse(userData),
  errors: [],
  example: { organizationId: 'acme', userId: 'ada' },
  handle({ data: { organizationId, userId }, tenant }, { em }) {
    const view = userDataView(tenant, { organizationId, userId });
    return Promise.resolve({
      message: 'Data fetched successfully.',
      async page(after, maxBytes) {
        const from = after && readPosition(after);
        const subject = { organizationId, userId };
        const { user, data, next, cut } = await readUserData(em, tenant, subject, from, maxBytes);
        return { data: view(user, data), next: next && writePosition(next), cut };
      },
    });
  },
});
