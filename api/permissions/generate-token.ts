import { z } from 'zod';
import { generateToken as generate } from '../../domain/permissions/generate-token.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { email, idOf, name } from '../schemas.ts';
import { grants } from './resource.ts';

export const generateToken = endpoint({
  paths: ['/v2/auth/generate_token'],
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Stores the given grants and returns a signed token for a user, valid for 48 hours. `/.well-known/jwks.json` lists the public keys.',
  data: z.strictObject({
    userId: idOf('the user'),
    userProperties: z
      .strictObject({ name: name.optional(), email: email.optional(), isAdmin: z.boolean().default(false) })
      .optional(),
    permissions: z.strictObject({ resources: grants }).optional(),
  }),
  response: dataResponse(z.strictObject({ token: z.string() })),
  errors: ['FAILED_PRECONDITION'],
  example: {
    userId: 'u1',
    userProperties: { name: 'Ada', email: 'ada@example.com' },
    permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
  },
  async handle({ data: { userId, userProperties, permissions }, tenant }, { em, keyRing }) {
    const token = await generate(em, keyRing, tenant, {
      userId,
      name: userProperties?.name,
      email: userProperties?.email,
      isAdmin: userProperties?.isAdmin ?? false,
      grants: permissions?.resources ?? [],
    });
    return succeeded('Token generated successfully.', { token });
  },
});
