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
  summary: 'Revokes a user’s grants on up to 100 resources, all or none. Memberships are kept.',
  data: z.strictObject({ userId: idOf('the user'), permissions: z.strictObject({ resources }) }),
  response: messageResponse,
  errors: [],
  example: {
    userId: 'u1',
    permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
  },
  async handle({ data: { userId, permissions }, tenant }, { em }) {
    await revokePermissions(em, tenant, userId, permissions.resources);
    return { message: 'Permissions removed successfully.' };
  },
});
