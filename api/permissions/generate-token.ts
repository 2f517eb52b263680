import { z } from 'zod';
import { generateToken as generate } from '../../domain/permissions/generate-token.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { emailOrNone, idOf, name } from '../schemas.ts';
import { grants, refuseEnded } from './resource.ts';

export const generateToken = endpoint({
  paths: ['/v2/auth/generate_token'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Stores the given grants and returns a signed token for a user, valid for 48 hours.',
  description:
    'Verify the token with the public keys of `/.well-known/jwks.json`. The token is a JWT signed with ' +
    'EdDSA, with the claims `iss`, `aud` (the API key), `sub` (the user), `jti`, `iat`, `exp`, `name`, ' +
    '`email`, `isAdmin` and `permissions`. A user who does not exist is created. Grants are stored as by ' +
    '`/v2/auth/permissions/add`: all or none, and an unknown resource fails with `INVALID_ARGUMENT`. ' +
    'Fails with `FAILED_PRECONDITION` for a disabled organization or document, and while the data of the ' +
    'user is being deleted. A token stays valid until it expires, even after its grants are revoked. ' +
    'Emits no event; each call signs a new token.',
  data: z.strictObject({
    userId: idOf('the user'),
    userProperties: z
      .strictObject({
        name: name
          .optional()
          .describe('Name of the user, max 1,000 characters. Stored as the name of the user.'),
        email: emailOrNone
          .optional()
          .describe(
            'E-mail address of the user, max 254 characters, or an empty string. Stored as the address of the user.',
          ),
        isAdmin: z.boolean().default(false).describe('Value of the claim `isAdmin`. Not stored.'),
      })
      .optional()
      .describe('Profile of the user for the claims of the token.'),
    permissions: z
      .strictObject({ resources: grants.optional() })
      .optional()
      .describe('Grants to store and to list in the token.'),
  }),
  response: dataResponse(z.strictObject({ token: z.string().describe('Signed JWT, valid for 48 hours.') })),
  errors: ['FAILED_PRECONDITION'],
  example: {
    userId: 'u1',
    userProperties: { name: 'Ada', email: 'ada@example.com' },
    permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
  },
  async handle({ data: { userId, userProperties, permissions }, tenant }, { em, keyRing }) {
    const given = permissions?.resources ?? [];
    refuseEnded(given);
    const token = await generate(em, keyRing, tenant, {
      userId,
      name: userProperties?.name,
      email: userProperties?.email,
      isAdmin: userProperties?.isAdmin ?? false,
      grants: given,
    });
    return succeeded('Token generated successfully.', { token });
  },
});
