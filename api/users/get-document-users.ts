import { z } from 'zod';
import { findLevel } from '../../domain/members/membership-level.ts';
import { involvedDocuments } from '../../domain/members/involved-documents.ts';
import type { UserRow } from '../../domain/members/user-row.ts';
import { listResponse } from '../http/response/list.ts';
import { endpoint } from '../http/endpoint.ts';
import { paging } from '../http/response/list.ts';
import { idOf, ids } from '../schemas.ts';
import { involvementLimit, involvementNeedsUsers, involvementView, userResponse, userView } from './user.ts';
import { documentUsers } from './user-lists.ts';

export const getDocumentUsers = endpoint({
  paths: ['/v2/users/doc/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns users that belong to at least one document of an organization, with the document ids.',
  description:
    'Lists up to 20,000 documents per user. Returns pages of 1,000 users in order of their ids. A page ends ' +
    'at 10 MiB, so it may be short: only an absent `nextPageToken` marks the end. Users who belong to no ' +
    `document are left out. An unknown organization fails with \`NOT_FOUND\`. ${involvementLimit}`,
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      userIds: ids()
        .optional()
        .describe('Only these users, max 1,000; max 30 with `includeInvolvedDocuments`.'),
      includeInvolvedDocuments: z
        .boolean()
        .optional()
        .describe('True adds `involvedDocuments`. Requires `userIds` with up to 30 ids.'),
      ...paging,
    })
    .check(involvementNeedsUsers),
  response: listResponse(
    userResponse.extend({
      documentIds: z.array(z.string()).describe('Ids of the documents that the user is a member of.'),
    }),
    {
      unpagedPaths: [],
      repeatsPageToken: true,
    },
  ),
  errors: ['NOT_FOUND', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', userIds: ['u1'], includeInvolvedDocuments: true },
  async handle({ data, tenant }, { em }) {
    const { organizationId, userIds, includeInvolvedDocuments } = data;
    const level = await findLevel(em, tenant, { organizationId });
    const involvement =
      includeInvolvedDocuments === true && userIds !== undefined
        ? await involvedDocuments(em, tenant, { id: level.organization }, userIds)
        : undefined;
    const view = (row: UserRow & { readonly documents: readonly string[] | null }) => ({
      ...userView(row),
      ...involvementView(data, involvement?.get(row.ext_id)),
      documentIds: [...(row.documents ?? [])],
    });
    const list = documentUsers({ em, tenant, level, filter: { userIds } }, view, true);
    return { message: 'Document users retrieved successfully.', list };
  },
});
