import { z } from 'zod';
import { countDocumentUsers, countMembers } from '../../domain/members/count-users.ts';
import { findLevel } from '../../domain/members/membership-level.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { flagExcludes } from '../rules.ts';
import { customerId, idOf } from '../schemas.ts';

export const countUsers = endpoint({
  paths: ['/v2/users/count/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the exact number of members of an organization, of a document, or of all documents.',
  description:
    'Counts members of the organization itself without `documentId` and `allDocuments`. Each user counts ' +
    'once. Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`. An unknown organization or ' +
    'document fails with `NOT_FOUND`; an unknown user counts 0.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      documentId: customerId.optional().describe('Counts members of this document. Excludes `allDocuments`.'),
      userId: customerId.optional().describe('Counts only this user, so the count is 0 or 1.'),
      allDocuments: z
        .boolean()
        .optional()
        .describe('True counts members of any document of the organization, each user once.'),
    })
    .check(flagExcludes('allDocuments', 'documentId')),
  response: dataResponse(z.strictObject({ count: z.int().min(0).describe('Number of users.') })),
  errors: ['NOT_FOUND', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', documentId: 'plan' },
  async handle({ data, tenant }, { em }) {
    const level = await findLevel(em, tenant, data);
    const count =
      data.allDocuments === true
        ? await countDocumentUsers(em, tenant, { id: level.organization }, data.userId)
        : await countMembers(em, tenant, level, data.userId);
    return succeeded('User count retrieved successfully.', { count });
  },
});
