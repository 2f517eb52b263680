import { credentialHeaders } from '../http/caller/authenticate.ts';
import { tokenScopeOf } from '../http/caller/token-scope.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonSchema } from './json-schema.ts';

type CredentialHeader = (typeof credentialHeaders)[keyof typeof credentialHeaders][number];

const meanings: Readonly<Record<CredentialHeader, string>> = {
  'x-svc-api-key': 'The id of the API key.',
  'x-svc-auth-token': 'An auth token of the API key.',
  'x-svc-workspace-id': 'The id of the workspace.',
  'x-svc-workspace-auth-token': 'The auth token of the workspace.',
  'x-svc-operator-token': 'An operator token.',
};

/** Each credential header is a scheme. An operation requires all of its schemes. */
export const securitySchemes: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(meanings).map(([name, description]) => [
    name,
    { type: 'apiKey', in: 'header', name, description },
  ]),
);

/** Returns the schemes that an operation requires. OpenAPI 3.1 lists roles there, here the scope of auth tokens. */
export const securityOf = (endpoint: Endpoint): JsonSchema =>
  Object.fromEntries(
    credentialHeaders[endpoint.credentials].map((name) => [
      name,
      name === 'x-svc-auth-token' ? [tokenScopeOf(endpoint)] : [],
    ]),
  );

/** Postman's converter sends the first scheme only, so the second header of a pair is a parameter as well. */
const second = Object.values(credentialHeaders).flatMap(([, name]) => (name === undefined ? [] : [name]));

/** Parameters for tools that send one scheme only. */
export const credentialParameters: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  second.map((name) => [
    name,
    {
      name,
      in: 'header',
      description: `${meanings[name]} The security scheme of this name, for tools that send only one scheme. In Postman: \`{{authToken}}\`.`,
      schema: { type: 'string' },
      example: '{{authToken}}',
    },
  ]),
);

/** Returns references to the credential parameters of an operation. */
export const credentialParametersOf = ({ credentials }: Endpoint): readonly JsonSchema[] =>
  second
    .filter((name) => (credentialHeaders[credentials] as readonly string[]).includes(name))
    .map((name) => ({ $ref: `#/components/parameters/${name}` }));
