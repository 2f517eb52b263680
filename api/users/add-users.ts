import { z } from 'zod';
import { addUsers as add } from '../../domain/members/add-users.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { anything, createFlag, customerId, folderId, idOf, records } from '../schemas.ts';
import { toUserInput, userInput, userInputV1 } from './user.ts';

const location = {
  organizationId: idOf('the organization'),
  documentId: customerId.optional().describe('Adds the users to this document. Excludes `folderId`.'),
  folderId: folderId.optional().describe('Adds the users to this folder. Excludes `documentId`.'),
  parentFolderId: customerId
    .optional()
    .describe(
      'Id of the parent of a folder that `createFolder` creates, max 1,000 bytes. Absent: the top level.',
    ),
  createOrganization: createFlag('the organization'),
  createDocument: createFlag('the document'),
  createFolder: createFlag('the folder'),
  context: anything.optional().describe('Accepted for compatibility; has no effect.'),
};

const message = 'User(s) processed successfully.';
const response = batchResponse();
const errors = ['NOT_FOUND', 'FAILED_PRECONDITION'] as const;

export const addUsersV1 = endpoint({
  paths: ['/v1/users/add'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds members to an organization, a document or a folder.',
  description:
    'Adds up to 1,000 users to exactly one level: the organization, or the document or folder in the ' +
    'request. A user who exists is updated; a profile belongs to the API key, so the change shows in ' +
    'every organization. Fields beyond the schema are free metadata, max 16 KiB per user. A user who ' +
    'would hold more than 64 KiB of it fails with `invalid-argument`, without affecting the others. ' +
    '`accessRole` is ignored on `/v1`. An unknown organization, document or folder fails the call with ' +
    '`NOT_FOUND`, unless its create flag is true. Fails with `FAILED_PRECONDITION` while the data of ' +
    'one of the users is being deleted. Emits no event; repeating the call changes nothing.',
  data: z
    .strictObject({
      ...location,
      users: records(userInputV1, 'userId').describe(
        'Users to add, max 1,000. If an id occurs twice, the last one counts.',
      ),
    })
    .check(exclude('documentId', 'folderId')),
  response,
  errors,
  example: { organizationId: 'acme', users: [{ userId: 'u1', name: 'Ada', email: 'ada@example.com' }] },
  async handle({ data: { users, ...level }, tenant }, { em }) {
    return { message, items: await add(em, tenant, level, users.map(toUserInput)) };
  },
});

export const addUsers = endpoint({
  paths: ['/v2/users/add'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds members to an organization, a document or a folder, optionally with a role.',
  description:
    'A user who exists is updated. Adds up to 1,000 users to exactly one level: the organization, or the ' +
    'document or folder in the request. A profile belongs to the API key, so an update shows in every ' +
    'organization. Fields beyond the schema are free metadata, max 16 KiB per user. A user who would hold ' +
    'more than 64 KiB of it fails with `invalid-argument`, without affecting the others. An unknown ' +
    'organization, document or folder fails the call with `NOT_FOUND`, unless its create flag is true. ' +
    'Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. Emits no ' +
    'event; repeating the call changes nothing.',
  data: z
    .strictObject({
      ...location,
      users: records(userInput, 'userId').describe(
        'Users to add, max 1,000. If an id occurs twice, the last one counts.',
      ),
    })
    .check(exclude('documentId', 'folderId')),
  response,
  errors,
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    users: [{ userId: 'u1', name: 'Ada', email: 'ada@example.com', accessRole: 'viewer', team: 'blue' }],
  },
  async handle({ data: { users, ...level }, tenant }, { em }) {
    return { message, items: await add(em, tenant, level, users.map(toUserInput)) };
  },
});
