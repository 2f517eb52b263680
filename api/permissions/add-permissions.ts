import { z } from 'zod';
import { grantPermissions } from '../../domain/permissions/grant-permissions.ts';
import { messageResponse } from '../http/response/message.ts';
import { endpoint } from '../http/endpoint.ts';
import { createFlag, idOf, name, text } from '../schemas.ts';
import { grants, refuseEnded } from './resource.ts';

/** Other members of a user are accepted and ignored. */
const user = z.looseObject({
  userId: idOf('the user'),
  name: name.optional().describe('Accepted for compatibility; has no effect.'),
  email: text(254).optional().describe('Accepted for compatibility; has no effect.'),
});

export const addPermissions = endpoint({
  paths: ['/v2/auth/permissions/add'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Grants a user access to up to 100 resources, all or none.',
  description:
    'A grant adds to memberships and never removes one. A user who does not exist is created without a ' +
    'name. A grant without `accessRole` gives the editor role, and one without `expiresAt` does not ' +
    'expire, even when it replaces an earlier grant. An unknown resource fails the call with ' +
    '`INVALID_ARGUMENT` and `details.resources`, unless its create flag is true; no grant is then ' +
    'stored. Fails with `FAILED_PRECONDITION` while the data of the user is being deleted. Emits no ' +
    'event; repeating the call changes nothing.',
  data: z.strictObject({
    user: user.describe('User who gets access. Only `userId` is read.'),
    permissions: z.strictObject({ resources: grants }).describe('Grants to store.'),
    createOrganization: createFlag('the organization'),
    createDocument: createFlag('the document'),
    createFolder: createFlag('the folder'),
  }),
  response: messageResponse,
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    user: { userId: 'u1' },
    permissions: {
      resources: [
        { type: 'organization', id: 'acme', accessRole: 'viewer' },
        { type: 'document', id: 'plan', organizationId: 'acme', accessRole: 'editor', expiresAt: 4102444800 },
      ],
    },
  },
  async handle({ data: { user, permissions, ...flags }, tenant }, { em }) {
    refuseEnded(permissions.resources);
    await grantPermissions(em, tenant, user.userId, { grants: permissions.resources, flags });
    return { message: 'Permissions added successfully.' };
  },
});
