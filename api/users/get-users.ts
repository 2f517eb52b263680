import { z } from 'zod';
import { findGroups } from '../../domain/groups/resolve-group.ts';
import { involvedDocuments } from '../../domain/members/involved-documents.ts';
import { findLevel } from '../../domain/members/membership-level.ts';
import type { UserFilter, UserRow } from '../../domain/members/user-row.ts';
import { listResponse } from '../http/response/list.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { anyOf, exclude, flagExcludes, not, on, rule } from '../rules.ts';
import { paging } from '../http/response/list.ts';
import { customerId, folderId, idOf, ids } from '../schemas.ts';
import { involvementLimit, involvementNeedsUsers, involvementView, userResponse, userView } from './user.ts';
import { documentUsers, groupedUsers, members } from './user-lists.ts';

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    documentId: customerId
      .optional()
      .describe('Returns members of this document. Excludes `folderId` and `allDocuments`.'),
    folderId: folderId
      .optional()
      .describe('Returns members of this folder. Excludes `documentId` and `allDocuments`.'),
    userIds: ids().optional().describe('Only these users, max 1,000; max 30 with involved documents.'),
    organizationUserGroupIds: ids(30).optional().describe('Only users in one of these groups, max 30.'),
    searchKey: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Only users whose name, e-mail address or id contains this string, ignoring case. Max 200 characters.',
      ),
    allDocuments: z
      .boolean()
      .optional()
      .describe('True returns members of any document of the organization, each user once.'),
    groupByDocumentId: z
      .boolean()
      .optional()
      .describe('True returns a map from document id to its members. Requires `allDocuments: true`.'),
    includeInvolvedDocuments: z
      .boolean()
      .optional()
      .describe('True adds `involvedDocuments` to each user. Requires `userIds` with up to 30 ids.'),
    includeInvolvedDocumentsCount: z
      .boolean()
      .optional()
      .describe('True adds `involvedDocumentsCount` to each user. Requires `userIds` with up to 30 ids.'),
    ...paging,
  })
  .check(exclude('documentId', 'folderId'))
  .check(flagExcludes('allDocuments', 'documentId'))
  .check(flagExcludes('allDocuments', 'folderId'))
  .check(involvementNeedsUsers)
  .check(
    rule(
      'groupByDocumentId needs allDocuments: true.',
      anyOf(not(on('groupByDocumentId')), on('allDocuments')),
      ['groupByDocumentId', 'allDocuments'],
      (sent, context) => {
        if (sent.groupByDocumentId !== true || sent.allDocuments === true) return;
        context.addIssue({
          code: 'custom',
          path: ['groupByDocumentId'],
          message: '<m> needs allDocuments: true.',
        });
      },
    ),
  );

export const getUsers = endpoint({
  paths: bothVersions('users/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the members at one level, or of all documents of an organization.',
  description:
    'A page may be short: only an absent `nextPageToken` marks the end. Returns members of exactly one ' +
    'level: without `documentId`, `folderId` and `allDocuments`, those of the organization itself. All ' +
    'filters apply together. On `/v1`, a request without `pageSize` returns all members in one streamed ' +
    'response; `/v2` returns pages of 1,000 in order of the ids. With `groupByDocumentId`, the next page ' +
    'may continue the last document. Unknown users and groups match nothing. An unknown organization, ' +
    'document or folder fails with `NOT_FOUND`. ' +
    involvementLimit,
  data,
  response: listResponse(userResponse, {
    unpagedPaths: ['/v1/users/get'],
    repeatsPageToken: true,
    groupedBy: 'With groupByDocumentId: the members of each document, by its id.',
  }),
  errors: ['NOT_FOUND', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', documentId: 'plan' },
  async handle({ data: sent, tenant }, { em }) {
    const message = 'User(s) retrieved successfully.';
    const { userIds, searchKey, organizationUserGroupIds: groupIds } = sent;
    const level = await findLevel(em, tenant, sent);
    const organization = { id: level.organization };
    const groups = groupIds && (await findGroups(em, tenant, organization, groupIds));
    const filter: UserFilter = { userIds, searchKey, groups };
    const showsInvolvement = [sent.includeInvolvedDocuments, sent.includeInvolvedDocumentsCount].includes(
      true,
    );
    const involvement =
      userIds !== undefined && showsInvolvement
        ? await involvedDocuments(em, tenant, organization, userIds)
        : new Map<string, never>();
    const view = (row: UserRow) => ({
      ...userView(row),
      ...involvementView(sent, involvement.get(row.ext_id)),
    });
    const source = { em, tenant, level, filter };
    if (sent.groupByDocumentId === true) return { message, groups: groupedUsers(source, view) };
    return {
      message,
      list: sent.allDocuments === true ? documentUsers(source, view) : members(source, view),
    };
  },
});
