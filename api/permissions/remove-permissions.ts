import { z } from 'zod';
import { revokePermissions } from '../../domain/permissions/revoke-permissions.ts';
import { messageResponse } from '../http/response/message.ts';
import { endpoint } from '../http/endpoint.ts';
import { idOf } from '../schemas.ts';
import { resources } from './resource.ts';

export const removePermissions = endpoint({
  paths: ['/v2/auth/permissions/remove'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Revokes a user’s grants on up to 100 resources, all or none.',
  description:
    'A membership keeps its own role, so the user may still have access. Resources without a grant and ' +
    'unknown users succeed. An unknown resource fails the call with `INVALID_ARGUMENT` and ' +
    '`details.resources`, so that a typo does not look like a successful revocation; no grant is then ' +
    'revoked. Fails with `FAILED_PRECONDITION` while the data of the user is being deleted. Tokens that ' +
    'were generated earlier stay valid until they expire. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    userId: idOf('the user'),
    permissions: z.strictObject({ resources }).describe('Grants to revoke.'),
  }),
  response: messageResponse,
  errors: ['FAILED_PRECONDITION'],
  example: {
    userId: 'u1',
    permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
  },
  async handle({ data: { userId, permissions }, tenant }, { em }) {
    await revokePermissions(em, tenant, userId, permissions.resources);
    return { message: 'Permissions removed successfully.' };
  },
});
