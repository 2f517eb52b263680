import { z } from 'zod';
import { countDocumentUsers, countMembers } from '../../domain/members/count-users.ts';
import { findLevel } from '../../domain/members/membership-level.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { flagExcludes } from '../rules.ts';
import { idOf } from '../schemas.ts';

export const countUsers = endpoint({
  paths: ['/v2/users/count/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the exact number of members of an organization, of a document, or of all documents.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      documentId: idOf('the document').optional(),
      userId: idOf('the user').optional(),
      allDocuments: z.boolean().optional(),
    })
    .check(flagExcludes('allDocuments', 'documentId')),
  response: dataResponse(z.strictObject({ count: z.int().min(0) })),
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
