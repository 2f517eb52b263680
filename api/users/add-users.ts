import { z } from 'zod';
import { addUsers as add } from '../../domain/members/add-users.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { anything, createFlag, customerId, folderId, idOf, records } from '../schemas.ts';
import { toUserInput, userInput, userInputV1 } from './user.ts';

const location = {
  organizationId: idOf('the organization'),
  documentId: idOf('the document').optional(),
  folderId: folderId.optional(),
  parentFolderId: customerId.optional(),
  createOrganization: createFlag('the organization'),
  createDocument: createFlag('the document'),
  createFolder: createFlag('the folder'),
  context: anything.optional(),
};

const message = 'User(s) processed successfully.';
const response = batchResponse();
const errors = ['NOT_FOUND', 'FAILED_PRECONDITION'] as const;

export const addUsersV1 = endpoint({
  paths: ['/v1/users/add'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds members to an organization, a document or a folder.',
  data: z
    .strictObject({ ...location, users: records(userInputV1, 'userId') })
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
  summary:
    'Adds members to an organization, a document or a folder, optionally with a role. Updates users that exist.',
  data: z
    .strictObject({ ...location, users: records(userInput, 'userId') })
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
