import { z } from 'zod';
import { countUnread } from '../../domain/comments/count-unread.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { idOf, ids } from '../schemas.ts';

const counts = z.strictObject({
  total: z.int().min(0).describe('Number of annotations that the user may see by their visibility.'),
  unread: z
    .int()
    .min(0)
    .describe('Number of those annotations that another user changed after this user read them.'),
});

export const countAnnotations = endpoint({
  paths: bothVersions('commentannotations/count/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Counts the annotations of documents that a user may see, and the unread ones.',
  description:
    'An annotation is unread when another user made its last change, after this user marked it, or its ' +
    'document, as read. An unknown document counts 0; an unknown user sees public annotations. Counts ' +
    'within 10 seconds, else fails with `DEADLINE_EXCEEDED`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    userId: idOf('the user who reads'),
    documentIds: ids(30).describe('Ids of the documents, 1 to 30.'),
    statusIds: ids(30).optional().describe('Counts only annotations with one of these statuses.'),
  }),
  response: dataResponse(z.record(z.string(), counts).describe('Counts by document id.')),
  errors: ['NOT_FOUND', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', userId: 'u1', documentIds: ['plan'] },
  async handle({ data, tenant }, { em }) {
    const { organizationId, userId, documentIds, statusIds } = data;
    const organization = await findOrganization(em, tenant, organizationId);
    const user = await findUser(em, tenant, userId);
    const found = await countUnread(em, tenant, organization, { user: user?.id, documentIds, statusIds });
    // `fromEntries` defines `__proto__` as an ordinary member.
    const byDocument = Object.fromEntries(
      documentIds.map((id) => [id, found.get(id) ?? { total: 0, unread: 0 }]),
    );
    return succeeded('Comment count retrieved successfully.', byDocument);
  },
});
